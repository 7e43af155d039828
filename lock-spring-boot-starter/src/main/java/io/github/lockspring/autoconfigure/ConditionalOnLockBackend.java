/*
 * Copyright 2026 the lock-spring-boot-starter authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.lockspring.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches if a backend is chosen by the property {@code lock.additional-backends}; or, in
 * an application that defines no backend itself, by the property {@code lock.backend}, or
 * by itself: that property is not set, and the application has a client of its store, or
 * a property that says where the store is.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnLockBackendCondition.class)
@interface ConditionalOnLockBackend {

	/**
	 * The backend.
	 * @return its type
	 */
	LockBackendType value();

	/**
	 * The type of the beans by which the backend is chosen by itself.
	 * @return a type, or none if the backend must be chosen by name
	 */
	Class<?>[] client() default {};

	/**
	 * The property by which the backend is chosen by itself as well.
	 * @return a name, or an empty text if there is none
	 */
	String property() default "";

}
