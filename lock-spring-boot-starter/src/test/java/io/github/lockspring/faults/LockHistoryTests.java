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

package io.github.lockspring.faults;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.faults.LockHistory.Acquisition;
import io.github.lockspring.faults.LockHistory.Overlap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link LockHistory}: finds what is planted, and nothing else.
 */
class LockHistoryTests {

	private final Random random = new Random(42);

	private LockHistory history;

	@BeforeEach
	void recordSoundHistory() {
		this.history = new LockHistory();
		List<Integer> order = new java.util.ArrayList<>(IntStream.range(0, 1000).boxed().toList());
		Collections.shuffle(order, this.random);
		for (int i : order) {
			add("a", 10 * i + this.random.nextInt(5), 100 * i, 100 * i + 100);
			add("b", 7 * i + 3, 100 * i + 50, 100 * i + 149);
		}
	}

	private void add(String key, long token, long from, long until) {
		add(key, token, from - this.random.nextInt(1000), from, until);
	}

	private void add(String key, long token, long asked, long from, long until) {
		this.history.add(new Acquisition(key, "holder", token, asked, from, until));
	}

	@Test
	void soundHistoryIsAcquitted() {
		assertThat(this.history.acquisitions()).hasSize(2000);
		assertThat(this.history.overlaps()).isEmpty();
		assertThat(this.history.tokensThatWentBack()).isEmpty();
		assertThat(this.history.tokensOutOfOrder()).isEmpty();
		assertThat(this.history.tokensGrantedTwice()).isEmpty();
	}

	@Test
	void acquisitionThatBeginsOneNanosecondTooEarlyIsFound() {
		add("b", 3504, 50_149 - 1, 50_149);
		assertThat(this.history.overlaps()).singleElement()
			.extracting(Overlap::first)
			.isEqualTo(new Acquisition("b", "holder", 3503, asked("b", 3503), 50_050, 50_149));
	}

	private long asked(String key, long token) {
		return this.history.acquisitions()
			.stream()
			.filter((acquisition) -> acquisition.key().equals(key) && acquisition.token() == token)
			.findFirst()
			.orElseThrow()
			.asked();
	}

	@Test
	void shortAcquisitionInsideOfALongOneIsFound() {
		add("long", 1, 0, 1000);
		add("long", 2, 10, 20);
		add("long", 3, 30, 40);
		assertThat(this.history.overlaps()).hasSize(2).allMatch((overlap) -> overlap.first().token() == 1);
	}

	@Test
	void acquisitionsAtTheSameInstantAreFound() {
		add("same", 1, 0, 10);
		add("same", 2, 0, 10);
		assertThat(this.history.overlaps()).hasSize(1);
	}

	@Test
	void acquisitionThatWasNeverValidOverlapsNothing() {
		add("a", 5555, 50_050, 50_050);
		add("a", 5556, 50_050, 50_040);
		assertThat(this.history.overlaps()).isEmpty();
	}

	@Test
	void acquisitionOfAnotherKeyOverlapsNothing() {
		add("c", 1, 0, 100_000);
		assertThat(this.history.overlaps()).isEmpty();
	}

	@Test
	void tokenThatGoesBackIsFound() {
		add("c", 7, 0, 10, 20);
		add("c", 4, 11, 30, 40);
		assertThat(this.history.tokensThatWentBack()).hasSize(1);
		assertThat(this.history.tokensOutOfOrder()).hasSize(1);
	}

	@Test
	void tokenThatGoesBackBehindALaterOneIsFound() {
		add("c", 7, 0, 10, 20);
		add("c", 9, 21, 30, 40);
		add("c", 8, 41, 50, 60);
		assertThat(this.history.tokensThatWentBack()).hasSize(1);
	}

	@Test
	void smallerTokenOfOneThatAskedEarlierHasNotGoneBack() {
		add("c", 7, 0, 10, 20);
		add("c", 4, 9, 30, 40);
		assertThat(this.history.tokensThatWentBack()).isEmpty();
		assertThat(this.history.tokensOutOfOrder()).hasSize(1);
	}

	@Test
	void tokenThatIsGrantedTwiceIsFound() {
		add("c", 7, 0, 10, 20);
		add("c", 7, 1, 30, 40);
		assertThat(this.history.tokensGrantedTwice()).hasSize(1);
		assertThat(this.history.tokensOutOfOrder()).hasSize(1);
	}

}
