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

package io.github.lockspring.torture;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tortures each store. The property {@code torture.seconds} sets for how long faults
 * begin in each, and {@code torture.seed} the seed, which is printed.
 */
class StoreTortureTests {

	private static final Duration DURATION = Duration.ofSeconds(Long.getLong("torture.seconds", 360));

	private static final long SEED = Long.getLong("torture.seed", System.nanoTime() % 1_000_000);

	@ParameterizedTest
	@EnumSource
	void guaranteesHoldUnderFaults(StoreType type) throws Exception {
		assertThat(TortureMain.torture(type, SEED, DURATION).violations())
			.as("-Dtorture.seed=%d -Dtorture.seconds=%d", SEED, DURATION.toSeconds())
			.isEmpty();
	}

}
