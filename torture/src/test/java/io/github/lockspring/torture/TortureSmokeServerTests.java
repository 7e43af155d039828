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
import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.torture.TortureMain.Outcome;
import io.github.lockspring.torture.TortureSchedule.Step;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes lock on a Redis server for some seconds, in which a reply is lost, a
 * process stands still, and connections are cut.
 */
class TortureSmokeServerTests {

	private static final long SEED = 1;

	@Test
	void guaranteesHoldWithRealProcesses() throws Exception {
		TortureSettings settings = new TortureSettings(2, 2, 2, Duration.ofMillis(700), Duration.ofMillis(300),
				Duration.ofMillis(1500));
		TortureSchedule schedule = new TortureSchedule(List.of(new Step(100, TortureFault.REPLY_DROPPED, 0, 500),
				new Step(100, TortureFault.WORKER_STOPPED, 1, 1000),
				new Step(1300, TortureFault.CONNECTIONS_CUT, 2, 1)));
		try (TortureRun run = new TortureRun(StoreType.LETTUCE, SEED, settings, Defect.NONE)) {
			Outcome outcome = TortureMain.torture(run, "smoke", schedule);
			assertThat(outcome.violations()).isEmpty();
			assertThat(outcome.report().count("granted")).isPositive();
		}
	}

}
