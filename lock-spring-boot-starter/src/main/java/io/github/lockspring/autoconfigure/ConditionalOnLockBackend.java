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
 * {@link Conditional @Conditional} that matches if a backend is selected by the property
 * {@code lock.additional-backends}. In an application that does not define a backend
 * bean, it also matches if the backend is selected by the property {@code lock.backend},
 * or if that property is not set and the backend is detected by a client bean or a
 * property of its store.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnLockBackendCondition.class)
@interface ConditionalOnLockBackend {

	/**
	 * Return the backend.
	 * @return the type of the backend
	 */
	LockBackendType value();

	/**
	 * Return the type of the client beans by which the backend is detected.
	 * @return a type, or none if the backend must be selected by name
	 */
	Class<?>[] client() default {};

	/**
	 * Return the property by which the backend is detected as well.
	 * @return a name, or an empty string if there is none
	 */
	String property() default "";

}
