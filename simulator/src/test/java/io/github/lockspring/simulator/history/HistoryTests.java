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

package io.github.lockspring.simulator.history;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.simulator.history.LockFact.Failed;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.history.LockFact.Requested;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link History} and the text form of {@link Event}.
 */
class HistoryTests {

	@Test
	void printsOneLineForEachEvent() {
		History history = new HistoryBuilder().at(5).request(11, "a", "b").grant(11, 7).history();
		assertThat(history).hasToString("""
				5000000 p1 w requested operation=11 keys=a,b mode=EXCLUSIVE permits=1 limit=1 fair=false leaseTime=0 \
				waitTime=9223372036854775807 retainTime=0
				5000000 p1 w granted operation=11 token=7
				""");
	}

	@Test
	void readsWhatItPrints() {
		History history = new HistoryBuilder().at(1)
			.request(11, Mode.READ, 5, true, "", " ", "a,b=%", "é\n\uD83D\uDE00", "\uD800")
			.fact(11, new Failed(11, ""))
			.fact(12, new Requested(12, List.of(), Mode.PERMITS, 2, 3, false, 0))
			.fault(1, FaultKind.FAILED_OVER, "store 1")
			.heal(1)
			.lock(21, "k", 4)
			.history();
		History read = History.parse(history.toString());
		assertThat(read.events()).isEqualTo(history.events());
		assertThat(read).hasToString(history.toString());
		assertThat(history.toString()).matches("[ -~\n]*");
	}

	@Test
	void rejectsWhatIsNoEvent() {
		for (String line : List.of("", "1 p w", "1 p w unheard-of", "1 p w queued", "1 p w queued token=1",
				"1 p w queued operation=x", "x p w queued operation=1", "1 p w fault-begun fault=1 kind=X target=p")) {
			assertThatIllegalArgumentException().isThrownBy(() -> Event.parse(line));
		}
	}

	@Test
	void rejectsTimeThatGoesBack() {
		HistoryBuilder builder = new HistoryBuilder().at(2).request(11, "a");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.at(1).grant(11, 1));
	}

	@Test
	void mergesByTime() {
		History one = new HistoryBuilder().at(1).request(11, "a").at(3).grant(11, 1).history();
		History other = new HistoryBuilder().at(2).request(21, "b").at(3).grant(21, 1).history();
		assertThat(History.merge(List.of(one, other)).events()).containsExactly(one.events().get(0),
				other.events().get(0), one.events().get(1), other.events().get(1));
	}

}
