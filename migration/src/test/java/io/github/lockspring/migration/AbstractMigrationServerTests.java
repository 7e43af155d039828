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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of a migration in two releases: of two instances that run at the same time during
 * a rollout, one at a time runs the locked method.
 */
public abstract class AbstractMigrationServerTests {

	private static final String LOCKS = "io.github.lockspring.autoconfigure.LockAutoConfiguration";

	/**
	 * The auto-configurations of the other libraries, which are all on the class path. Of
	 * them, an application has those of its own library.
	 */
	private static final List<String> AUTO_CONFIGURATIONS = List.of(
			"com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration",
			"com.baomidou.lock.spring.boot.autoconfigure.RedisTemplateLockAutoConfiguration",
			"org.redisson.spring.starter.RedissonAutoConfigurationV2",
			"org.redisson.spring.starter.RedissonAutoConfigurationV4");

	/**
	 * Return the application of a release.
	 * @param release the release
	 * @return its configuration
	 */
	protected abstract Class<?> application(Release release);

	/**
	 * Return the properties of the application.
	 * @param release the release
	 * @return names and values
	 */
	protected abstract Stream<String> properties(Release release);

	/**
	 * Return the package of the auto-configurations of the other library.
	 * @return the beginning of their names
	 */
	protected String library() {
		return "none";
	}

	/**
	 * Call the locked method.
	 * @param context the application
	 */
	protected void call(ApplicationContext context) throws Exception {
		context.getBean(Payments.class).pay(42);
	}

	@ParameterizedTest
	@CsvSource({ "BEFORE, BEFORE", "BEFORE, BOTH", "BOTH, BEFORE", "BOTH, BOTH", "BOTH, AFTER", "AFTER, BOTH",
			"AFTER, AFTER" })
	void instancesOfSuccessiveReleasesExcludeEachOther(Release first, Release second) {
		try (Instance holder = start(first); Instance other = start(second)) {
			assertThat(holder.runs(() -> assertThat(runsMeanwhile(other)).isFalse())).isTrue();
			assertThat(runsMeanwhile(other)).isTrue();
		}
	}

	@Test
	void releaseWithBothCannotBeLeftOut() {
		try (Instance before = start(Release.BEFORE); Instance after = start(Release.AFTER)) {
			assertThat(before.runs(() -> assertThat(runsMeanwhile(after)).isTrue())).isTrue();
		}
	}

	private static boolean runsMeanwhile(Instance instance) {
		return CompletableFuture.supplyAsync(() -> instance.runs(() -> {
		})).join();
	}

	private Instance start(Release release) {
		Stream<String> others = AUTO_CONFIGURATIONS.stream()
			.filter((name) -> release == Release.AFTER || !name.startsWith(library()));
		String excluded = Stream.concat(others, (release == Release.BEFORE) ? Stream.of(LOCKS) : Stream.empty())
			.collect(Collectors.joining(","));
		return new Instance(application(release), this::call,
				Stream
					.concat(properties(release),
							Stream.of("spring.application.name=shop", "spring.autoconfigure.exclude=" + excluded))
					.toArray(String[]::new));
	}

}
