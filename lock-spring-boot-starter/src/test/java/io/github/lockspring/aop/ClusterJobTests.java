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

package io.github.lockspring.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AliasFor;

import io.github.lockspring.ClusterJob;
import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ClusterJob}.
 */
class ClusterJobTests {

	/**
	 * Its wait time is not that of jobs.
	 */
	private final LockedProxies proxies = new LockedProxies(
			LockedProxies.defaults(LockOptions.defaults().withWaitTime(Duration.ofHours(1)), null), "job.name",
			"named");

	private final Jobs target = new Jobs();

	private final Jobs jobs = this.proxies.proxy(this.target);

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@Test
	void jobRunsUnderItsLock() {
		assertThat(this.jobs.prices()).isEqualTo("held");
		assertThat(this.proxies.isEmpty()).isTrue();
	}

	@Test
	void jobIsSkippedWhileItRunsInAnotherProcess() {
		LockHandle lock = this.proxies.holdElsewhere("prices");
		assertThat(this.jobs.prices()).isNull();
		assertThat(this.target.runs).isEmpty();
		lock.close();
		assertThat(this.jobs.prices()).isEqualTo("held");
	}

	@Test
	void jobIsSkippedForItsMinimumTime() {
		this.jobs.reminder();
		this.jobs.reminder();
		this.proxies.time.advance(Duration.ofSeconds(59));
		this.jobs.reminder();
		assertThat(this.target.runs).hasSize(1);
		this.proxies.time.advance(Duration.ofSeconds(2));
		this.jobs.reminder();
		assertThat(this.target.runs).hasSize(2);
	}

	@Test
	void nameIsOptional() {
		this.jobs.unnamed();
		this.jobs.placeholder();
		assertThat(this.proxies.backend.keys()).containsExactly("lock:" + Jobs.class.getName() + ".unnamed",
				"lock:named");
	}

	@Test
	void annotationCanBeComposed() {
		this.jobs.composed();
		this.proxies.time.advance(Duration.ofSeconds(29));
		this.jobs.composed();
		assertThat(this.target.runs).hasSize(1);
	}

	@Test
	void jobFailsIfTheStoreIsDown() {
		this.proxies.backend.setDown(true);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.jobs::prices);
		assertThat(this.target.runs).isEmpty();
	}

	@Test
	void jobThatReturnsAPrimitiveIsRejected() {
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.proxies.proxy(new Counting()))
			.withMessageContaining("onFailure = SKIP requires an empty result");
	}

	class Jobs {

		private final List<String> runs = new ArrayList<>();

		@ClusterJob("prices")
		String prices() {
			this.runs.add("prices");
			return ClusterJobTests.this.proxies.isHeld("prices") ? "held" : "free";
		}

		@ClusterJob(name = "reminder", lockAtLeastFor = "1m")
		void reminder() {
			this.runs.add("reminder");
		}

		@FrequentJob("composed")
		void composed() {
			this.runs.add("composed");
		}

		@ClusterJob
		void unnamed() {
		}

		@ClusterJob("${job.name}")
		void placeholder() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@ClusterJob
	@interface FrequentJob {

		@AliasFor(annotation = ClusterJob.class, attribute = "name")
		String value();

		@AliasFor(annotation = ClusterJob.class, attribute = "lockAtLeastFor")
		String atLeast() default "30s";

	}

	static class Counting {

		@ClusterJob("count")
		int count() {
			return 1;
		}

	}

}
