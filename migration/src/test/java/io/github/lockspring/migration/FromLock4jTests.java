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

package io.github.lockspring.migration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.java.Assertions;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

/**
 * Tests the recipes {@code FromLock4j} and {@code BesideLock4j}.
 */
class FromLock4jTests implements RewriteTest {

	private static final String BEFORE = """
			import com.baomidou.lock.annotation.Lock4j;

			class Users {

				@Lock4j(%s)
				public void rename(User user) {
				}

				record User(long id, String name) {
				}

			}
			""";

	private static final String AFTER = """
			import io.github.lockspring.DistributedLock;

			class Users {

				@DistributedLock(%s)
				public void rename(User user) {
				}

				record User(long id, String name) {
				}

			}
			""";

	private static final String MARKED = """
			/* TODO migrate what this file uses of Lock4j: see docs/migrating of lock-spring-boot-starter */
			import com.baomidou.lock.annotation.Lock4j;

			class Users {

				// TODO migrate %s: see docs/migrating of lock-spring-boot-starter
				@Lock4j(%s)
				public void rename(User user) {
				}

				record User(long id, String name) {
				}

			}
			""";

	@Override
	public void defaults(RecipeSpec spec) {
		spec.recipeFromResources("io.github.lockspring.migration.FromLock4j")
			.parser(JavaParser.fromJavaVersion().classpath(JavaParser.runtimeClasspath()));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			name = "user", keys = "#user.id"            | name = "user", key = "#user.id"
			keys = { "#user.id", "#user.name" }         | key = "#user.id + '/' + #user.name"
			keys = { "#user.id", "#a ?: 'b'" }          | key = "#user.id + '/' + (#a ?: 'b')"
			keys = { "#user.id" }, expire = 60000       | key = "#user.id", leaseTime = "60s"
			name = "user", keys = {}, expire = 500L     | name = "user", leaseTime = "500ms"
			expire = 60 * 1000, acquireTimeout = 1000   | leaseTime = "60s", waitTime = "1s"
			name = "user", expire = -1                  | name = "user"
			name = "user", acquireTimeout = 0           | name = "user", waitTime = "0s"
			autoRelease = true, name = "user"           | name = "user"
			""")
	void attributesAreTranslated(String before, String after) {
		rewriteRun(Assertions.java(BEFORE.formatted(before), AFTER.formatted(after)));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			name                | name = "user:rename"
			keys                | keys = { "#user.id", "#" + "b" }
			expire              | name = "user", expire = Long.MAX_VALUE
			acquireTimeout      | acquireTimeout = Long.MAX_VALUE
			autoRelease         | name = "user", autoRelease = false
			failStrategy        | failStrategy = com.baomidou.lock.DefaultLockFailureStrategy.class
			keyBuilderStrategy  | keyBuilderStrategy = com.baomidou.lock.DefaultLockKeyBuilder.class
			executor            | executor = com.baomidou.lock.executor.RedisTemplateLockExecutor.class
			executor, expire    | executor = com.baomidou.lock.executor.LockExecutor.class, expire = Long.MAX_VALUE
			""")
	void otherAttributesAreMarked(String attributes, String annotation) {
		rewriteRun(Assertions.java(BEFORE.formatted(annotation), MARKED.formatted(attributes, annotation)));
	}

	@Test
	void annotationWithoutAttributesIsReplaced() {
		rewriteRun(Assertions.java(BEFORE.replace("(%s)", ""), AFTER.replace("(%s)", "")));
	}

	@Test
	void templateIsMarked() {
		rewriteRun(Assertions.java("""
				import com.baomidou.lock.LockTemplate;

				class Users {

					LockTemplate locks;

				}
				""", """
				/* TODO migrate what this file uses of Lock4j: see docs/migrating of lock-spring-boot-starter */
				import com.baomidou.lock.LockTemplate;

				class Users {

					LockTemplate locks;

				}
				"""));
	}

	@Test
	void releaseWithBothKeepsTheOldAnnotation() {
		rewriteRun((spec) -> spec.recipeFromResources("io.github.lockspring.migration.BesideLock4j"),
				Assertions.java("""
						import com.baomidou.lock.annotation.Lock4j;

						class Users {

							/**
							 * Rename a user.
							 */
							@Lock4j(name = "user", keys = "#id", expire = 60000)
							public void rename(long id) {
							}

						}
						""", """
						import com.baomidou.lock.annotation.Lock4j;
						import io.github.lockspring.DistributedLock;

						class Users {

							/**
							 * Rename a user.
							 */
							@Lock4j(name = "user", keys = "#id", expire = 60000)
							@DistributedLock(name = "user", key = "#id", leaseTime = "60s")
							public void rename(long id) {
							}

						}
						"""));
	}

	@Test
	void oldAnnotationBesideTheNewOneIsRemoved() {
		rewriteRun(Assertions.java("""
				import com.baomidou.lock.annotation.Lock4j;
				import io.github.lockspring.DistributedLock;

				class Users {

					/**
					 * Rename a user.
					 */
					@Lock4j(name = "user", keys = "#id")
					@DistributedLock(name = "user", key = "#id")
					public void rename(long id) {
					}

				}
				""", """
				import io.github.lockspring.DistributedLock;

				class Users {

					/**
					 * Rename a user.
					 */
					@DistributedLock(name = "user", key = "#id")
					public void rename(long id) {
					}

				}
				"""));
	}

}
