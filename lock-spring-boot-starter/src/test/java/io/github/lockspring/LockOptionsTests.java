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

package io.github.lockspring;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockOptions}.
 */
class LockOptionsTests {

	private static final Duration MINIMUM = Duration.ofSeconds(10);

	private final LockOptions defaults = LockOptions.defaults();

	@Test
	void defaultsAreAsDocumented() {
		assertThat(this.defaults.type()).isEqualTo(LockType.REENTRANT);
		assertThat(this.defaults.waitTime()).isEqualTo(Duration.ofSeconds(5));
		assertThat(this.defaults.leaseTime()).isEqualTo(Duration.ofSeconds(30));
		assertThat(this.defaults.autoRenew()).isTrue();
		assertThat(this.defaults.lockAtLeastFor()).isEqualTo(Duration.ZERO);
		assertThat(this.defaults.retain()).isEqualTo(Duration.ZERO);
	}

	@Test
	void changedCopyKeepsAllElse() {
		LockOptions options = this.defaults.withLockAtLeastFor(MINIMUM)
			.withType(LockType.FAIR)
			.withWaitTime(Duration.ZERO)
			.withLeaseTime(Duration.ofSeconds(2))
			.withAutoRenew(false);
		assertThat(options)
			.hasToString("type=FAIR, waitTime=PT0S, leaseTime=PT2S, autoRenew=false, lockAtLeastFor=PT10S");
		assertThat(options.withPermits(3))
			.hasToString("permits=3, waitTime=PT0S, leaseTime=PT2S, autoRenew=false, lockAtLeastFor=PT10S");
		assertThat(options.withPermits(3).permits()).isEqualTo(3);
		assertThat(options.permits()).isZero();
		assertThat(this.defaults.lockAtLeastFor()).isZero();
		LockOptions retained = this.defaults.withRetain(Duration.ofSeconds(5));
		assertThat(List.of(retained.withType(LockType.WRITE), retained.withWaitTime(Duration.ZERO),
				retained.withLeaseTime(MINIMUM), retained.withAutoRenew(false), retained.withLockAtLeastFor(MINIMUM),
				retained.withPermits(2)))
			.extracting(LockOptions::retain)
			.containsOnly(Duration.ofSeconds(5));
		assertThat(retained.withRetain(Duration.ZERO)).hasToString(this.defaults.toString());
	}

	@ParameterizedTest
	@CsvSource({ "PT-0.001S, -1ms", "PT24H0.001S, 1d1ms" })
	void retainOutOfRangeIsRejected(Duration retain, String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.withRetain(retain))
			.withMessage("'retain' must be between zero (not retained) and 1d, not " + text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT0.000000001S", "PT24H" })
	void retainInRangeIsTaken(Duration retain) {
		assertThat(this.defaults.withRetain(retain).retain()).isEqualTo(retain);
	}

	@Test
	void textLeavesOutTheMinimumIfThereIsNone() {
		assertThat(this.defaults).hasToString("type=REENTRANT, waitTime=PT5S, leaseTime=PT30S, autoRenew=true");
	}

	@ParameterizedTest
	@CsvSource({ "PT-0.001S, -1ms", "PT24H0.001S, 1d1ms" })
	void minimumOutOfRangeIsRejected(Duration minimum, String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.withLockAtLeastFor(minimum))
			.withMessage("'lockAtLeastFor' must be between zero (no minimum) and 1d, not " + text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT0.001S", "PT24H" })
	void minimumInRangeIsTaken(Duration minimum) {
		assertThat(this.defaults.withLockAtLeastFor(minimum).lockAtLeastFor()).isEqualTo(minimum);
	}

	@ParameterizedTest
	@CsvSource({ "PT0S, 0s", "PT0.099S, 99ms", "PT24H0.001S, 1d1ms", "PT-1S, -1s" })
	void leaseTimeOutOfRangeIsRejected(Duration leaseTime, String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.withLeaseTime(leaseTime))
			.withMessage("'leaseTime' must be between 100ms and 1d, not " + text);
	}

	@Test
	void negativeWaitTimeIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.withWaitTime(Duration.ofNanos(-1)))
			.withMessageStartingWith("'waitTime' must be zero (try once) or longer");
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1 })
	void permitsThatAreNotPositiveAreRejected(int permits) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.withPermits(permits))
			.withMessage("'permits' must be 1 or more, not " + permits);
	}

	@Test
	void permitIsInUseForTheMinimum() {
		SettableTime time = new SettableTime();
		try (LockEngine engine = new LockEngine(new LocalLockBackend(new LocalStore(time)), EngineSettings.defaults(),
				EngineListener.NONE, time)) {
			LockTemplate template = new LockTemplate(engine, "",
					this.defaults.withWaitTime(Duration.ZERO).withPermits(2));
			LockOptions once = template.defaultOptions();
			template.acquire("key", once.withLockAtLeastFor(MINIMUM)).close();
			try (LockHandle second = template.acquire("key", once)) {
				assertThat(second.isHeld()).isTrue();
				assertThat(template.tryAcquire("key", once)).isNull();
				time.advance(MINIMUM);
				assertThat(template.tryAcquire("key", once)).isNotNull();
			}
		}
	}

}
