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

package io.github.lockspring.sample.lesson;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.sample.load.Latencies;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LessonTable}, and for the results that it shows.
 */
class LessonTableTests {

	@Test
	void rowShowsBothLocks() {
		Lesson.Result result = new Lesson.Result(Experiment.SET_NX, outcome(Verdict.STUCK), outcome(Verdict.EXACT));
		assertThat(row(result)).contains("SETNX, DEL", "Redis", "holder killed", "stuck", "exact", "2.0", "3.0",
				"1.50");
		assertThat(result.isAsExpected()).isTrue();
	}

	@Test
	void crowdIsShownWithItsRequests() {
		Lesson.Result result = new Lesson.Result(Experiment.EPHEMERAL_NODE, Outcome.ofCrowd(Verdict.EXACT, 1234.4),
				Outcome.ofCrowd(Verdict.EXACT, 4.4));
		assertThat(row(result)).contains("1,234 requests for one hand-off", "4.4 requests for one hand-off of ours");
		assertThat(result.isAsExpected()).isTrue();
	}

	@Test
	void lockOfTheStarterThatFailsIsNotAsExpected() {
		assertThat(new Lesson.Result(Experiment.SET_NX, outcome(Verdict.STUCK), outcome(Verdict.STUCK)).isAsExpected())
			.isFalse();
	}

	@Test
	void homemadeLockThatDoesNotFailIsNotAsExpected() {
		assertThat(new Lesson.Result(Experiment.SET_NX, outcome(Verdict.EXACT), outcome(Verdict.EXACT)).isAsExpected())
			.isFalse();
	}

	private static Outcome outcome(Verdict verdict) {
		return Outcome.of(verdict, new Resource());
	}

	private static String row(Lesson.Result result) {
		Latencies latencies = new Latencies(new long[] { 1_500_000 });
		return LessonTable.format(List.of(new LessonTable.Row(result, new Cost(2, latencies), new Cost(3, latencies))));
	}

}
