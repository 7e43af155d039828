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
import org.openrewrite.java.Assertions;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

/**
 * Tests the recipes {@code FromShedLock} and {@code BesideShedLock}.
 */
class FromShedLockTests implements RewriteTest {

	@Override
	public void defaults(RecipeSpec spec) {
		spec.recipeFromResources("io.github.lockspring.migration.FromShedLock")
			.parser(JavaParser.fromJavaVersion().classpath(JavaParser.runtimeClasspath()));
	}

	@Test
	void jobIsReplacedWithoutItsMaximumTime() {
		rewriteRun(Assertions.java("""
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
				import org.springframework.scheduling.annotation.Scheduled;

				class Prices {

					@Scheduled(cron = "0 */15 * * * *")
					@SchedulerLock(name = "prices", lockAtMostFor = "14m", lockAtLeastFor = "1m")
					public void update() {
					}

				}
				""", """
				import io.github.lockspring.ClusterJob;
				import org.springframework.scheduling.annotation.Scheduled;

				class Prices {

					@Scheduled(cron = "0 */15 * * * *")
					@ClusterJob(name = "prices", lockAtLeastFor = "1m")
					public void update() {
					}

				}
				"""));
	}

	@Test
	void firstAttributeIsRemoved() {
		rewriteRun(Assertions.java("""
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				class Prices {

					@SchedulerLock(
							lockAtMostFor = "14m",
							name = "prices")
					public void update() {
					}

				}
				""", """
				import io.github.lockspring.ClusterJob;

				class Prices {

					@ClusterJob(
							name = "prices")
					public void update() {
					}

				}
				"""));
	}

	@Test
	void numberIsOneOfMilliseconds() {
		rewriteRun(Assertions.java("""
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				class Prices {

					@SchedulerLock(name = "prices", lockAtLeastFor = "500")
					public void update() {
					}

				}
				""", """
				import io.github.lockspring.ClusterJob;

				class Prices {

					@ClusterJob(name = "prices", lockAtLeastFor = "500ms")
					public void update() {
					}

				}
				"""));
	}

	@Test
	void unusableNameIsMarked() {
		rewriteRun(Assertions.java("""
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				class Prices {

					@SchedulerLock(name = "prices:#{#region}")
					public void update(String region) {
					}

					@SchedulerLock(name = "${prices.lock:prices}")
					public void update() {
					}

				}
				""", """
				import io.github.lockspring.ClusterJob;

				class Prices {

					// TODO migrate name: see docs/migrating of lock-spring-boot-starter
					@ClusterJob(name = "prices:#{#region}")
					public void update(String region) {
					}

					@ClusterJob(name = "${prices.lock:prices}")
					public void update() {
					}

				}
				"""));
	}

	@Test
	void enablingAnnotationIsRemoved() {
		rewriteRun(Assertions.java("""
				import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
				import org.springframework.context.annotation.Configuration;

				@Configuration
				@EnableSchedulerLock(defaultLockAtMostFor = "10m")
				class Scheduling {

				}
				""", """
				import org.springframework.context.annotation.Configuration;

				@Configuration
				class Scheduling {

				}
				"""));
	}

	@Test
	void enablingAnnotationWithMinimumTimeIsMarked() {
		rewriteRun(Assertions.java("""
				import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;

				@EnableSchedulerLock(defaultLockAtMostFor = "10m", defaultLockAtLeastFor = "30s")
				class Scheduling {

				}
				""", """
				/* TODO migrate what this file uses of ShedLock: see docs/migrating of lock-spring-boot-starter */
				import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;

				// TODO migrate defaultLockAtLeastFor: see docs/migrating of lock-spring-boot-starter
				@EnableSchedulerLock(defaultLockAtMostFor = "10m", defaultLockAtLeastFor = "30s")
				class Scheduling {

				}
				"""));
	}

	@Test
	void assertionIsReplaced() {
		rewriteRun(Assertions.java("""
				import net.javacrumbs.shedlock.core.LockAssert;

				class Prices {

					void update() {
						LockAssert.assertLocked();
					}

				}
				""", """
				import io.github.lockspring.LockAssert;

				class Prices {

					void update() {
						LockAssert.assertLocked();
					}

				}
				"""));
	}

	@Test
	void assertionWithTestHelperIsMarked() {
		rewriteRun(Assertions.java("""
				import net.javacrumbs.shedlock.core.LockAssert;

				class PricesTests {

					void update() {
						LockAssert.TestHelper.makeAllAssertsPass(true);
					}

				}
				""", """
				/* TODO migrate what this file uses of ShedLock: see docs/migrating of lock-spring-boot-starter */
				import net.javacrumbs.shedlock.core.LockAssert;

				class PricesTests {

					void update() {
						LockAssert.TestHelper.makeAllAssertsPass(true);
					}

				}
				"""));
	}

	@Test
	void lockProviderIsMarked() {
		rewriteRun(Assertions.java("""
				import java.util.Optional;

				import net.javacrumbs.shedlock.core.LockProvider;
				import org.springframework.context.annotation.Bean;

				class Scheduling {

					@Bean
					LockProvider lockProvider() {
						return (configuration) -> Optional.empty();
					}

				}
				""", """
				import java.util.Optional;

				/* TODO migrate what this file uses of ShedLock: see docs/migrating of lock-spring-boot-starter */

				import net.javacrumbs.shedlock.core.LockProvider;
				import org.springframework.context.annotation.Bean;

				class Scheduling {

					@Bean
					LockProvider lockProvider() {
						return (configuration) -> Optional.empty();
					}

				}
				"""));
	}

	@Test
	void composedAnnotationIsReplaced() {
		rewriteRun(Assertions.java("""
				import java.lang.annotation.Retention;
				import java.lang.annotation.RetentionPolicy;

				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				@Retention(RetentionPolicy.RUNTIME)
				@SchedulerLock(lockAtMostFor = "5m", lockAtLeastFor = "30s")
				@interface FrequentJob {

				}
				""", """
				import java.lang.annotation.Retention;
				import java.lang.annotation.RetentionPolicy;

				import io.github.lockspring.ClusterJob;

				@Retention(RetentionPolicy.RUNTIME)
				@ClusterJob(lockAtLeastFor = "30s")
				@interface FrequentJob {

				}
				"""));
	}

	@Test
	void releaseWithBothKeepsTheOldAnnotation() {
		rewriteRun((spec) -> spec.recipeFromResources("io.github.lockspring.migration.BesideShedLock"),
				Assertions.java("""
						import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

						class Prices {

							@SchedulerLock(name = "prices", lockAtMostFor = "14m", lockAtLeastFor = "1m")
							public void update() {
							}

						}
						""", """
						import io.github.lockspring.ClusterJob;
						import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

						class Prices {

							@SchedulerLock(name = "prices", lockAtMostFor = "14m", lockAtLeastFor = "1m")
							@ClusterJob(name = "prices", lockAtLeastFor = "1m")
							public void update() {
							}

						}
						"""));
	}

	@Test
	void oldAnnotationBesideTheNewOneIsRemoved() {
		rewriteRun(Assertions.java("""
				import io.github.lockspring.ClusterJob;
				import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

				class Prices {

					@SchedulerLock(name = "prices", lockAtMostFor = "14m", lockAtLeastFor = "1m")
					@ClusterJob(name = "prices", lockAtLeastFor = "1m")
					public void update() {
					}

				}
				""", """
				import io.github.lockspring.ClusterJob;

				class Prices {

					@ClusterJob(name = "prices", lockAtLeastFor = "1m")
					public void update() {
					}

				}
				"""));
	}

}
