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

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockDefaults.Overrides} and {@link LockDefaults}.
 */
class LockDefaultsTests {

	private final LockOptions annotated = LockOptions.defaults()
		.withType(LockType.FAIR)
		.withWaitTime(Duration.ofSeconds(1))
		.withLeaseTime(Duration.ofSeconds(2))
		.withAutoRenew(false);

	@Test
	void overridesWin() {
		LockDefaults.Overrides overrides = new LockDefaults.Overrides(Duration.ofSeconds(3), Duration.ofSeconds(4),
				true, Duration.ofSeconds(5), "jdbc");
		assertThat(overrides.applyTo(this.annotated))
			.hasToString("type=" + LockType.FAIR + ", waitTime=PT3S, leaseTime=PT4S, autoRenew=true, retain=PT5S");
	}

	@Test
	void whatIsNotOverriddenStays() {
		assertThat(LockDefaults.Overrides.NONE.applyTo(this.annotated)).isSameAs(this.annotated);
	}

	@Test
	void zeroIsAnOverride() {
		LockDefaults.Overrides overrides = new LockDefaults.Overrides(Duration.ZERO, null, null, Duration.ZERO, null);
		assertThat(overrides.applyTo(this.annotated).waitTime()).isZero();
		assertThat(overrides.applyTo(this.annotated.withRetain(Duration.ofSeconds(5))).retain()).isZero();
		assertThat(overrides.applyTo(this.annotated).leaseTime()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void defaultsKeepACopyOfTheNames() {
		Map<String, LockDefaults.Overrides> names = new HashMap<>();
		LockDefaults defaults = new LockDefaults(this.annotated, null, true, false, names,
				new LockDefaults.Jpa(true, false));
		names.put("order", LockDefaults.Overrides.NONE);
		assertThat(defaults.configuredNames()).isEmpty();
	}

}
