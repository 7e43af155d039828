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
package io.github.lockspring.server;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.Tag;

/**
 * Marks tests that run with the profile {@code torture} only, because tests of every
 * build run the same code in a shorter or simpler way. Of a class that carries it, those
 * tests still run in every build that are tagged {@code everywhere}.
 */
@Documented
@Inherited
@Tag("torture")
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
public @interface Torture {

	/**
	 * Return the tests of every build that run the same code: {@code SomeTests},
	 * {@code SomeTests.Nested} or {@code SomeTests#method}.
	 * @return the names of tests, without packages
	 */
	String[] alsoIn();

}
