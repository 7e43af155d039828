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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.github.lockspring.simulator.history.Fact.Audited;
import io.github.lockspring.torture.TortureSchedule.Step;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FaultLanes}.
 */
class FaultLanesTests {

	private final FaultLog log = new FaultLog();

	private final List<TortureFault> inflicted = Collections.synchronizedList(new ArrayList<>());

	private Duration patience = Duration.ofMinutes(1);

	@Test
	void faultThatDidNotHappenIsRecorded() throws Exception {
		this.patience = Duration.ZERO;
		inflict((step, log) -> step.fault() != TortureFault.REPLY_DROPPED, 0, TortureFault.REPLY_DROPPED,
				TortureFault.CONNECTIONS_CUT);
		assertThat(this.log.counts()).isEqualTo(Map.of(TortureFault.CONNECTIONS_CUT, 1));
		assertThat(this.log.events()).extracting("fact")
			.containsExactly(new Audited("missing: fault REPLY_DROPPED", 0, 1));
	}

	@Test
	void faultIsTriedUntilItHappens() throws Exception {
		inflict((step, log) -> this.inflicted.size() == 3, 0, TortureFault.CLIENTS_KILLED);
		assertThat(this.inflicted).hasSize(3);
		assertThat(this.log.counts()).isEqualTo(Map.of(TortureFault.CLIENTS_KILLED, 1));
		assertThat(this.log.events()).isEmpty();
	}

	@Test
	void whenTheTimeIsOverOnlyFaultsHappenThatHaveNot() throws Exception {
		inflict((step, log) -> {
			Thread.sleep(step.duration());
			return true;
		}, 1, TortureFault.DELAYED, TortureFault.DELAYED, TortureFault.SLOW);
		assertThat(this.inflicted).containsExactly(TortureFault.DELAYED, TortureFault.SLOW);
		assertThat(this.log.events()).isEmpty();
	}

	private void inflict(Inflictor inflictor, long millis, TortureFault... faults) throws InterruptedException {
		Inflictor recording = (step, log) -> {
			this.inflicted.add(step.fault());
			return inflictor.inflict(step, log);
		};
		List<Step> steps = new ArrayList<>();
		for (TortureFault fault : faults) {
			steps.add(new Step(0, fault, 0, 10));
		}
		new FaultLanes(Map.of(steps.get(0).fault().lane(), recording), this.log, this.patience)
			.inflict(new TortureSchedule(steps), Duration.ofMillis(millis));
	}

}
