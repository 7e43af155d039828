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

package io.github.lockspring.sample.page;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.sample.timeline.Access;
import io.github.lockspring.sample.timeline.Outcome;
import io.github.lockspring.sample.timeline.Section;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SectionAnalysis}.
 */
class SectionAnalysisTests {

	@Test
	void sectionsOneAfterTheOtherAreHandOffs() {
		SectionAnalysis analysis = analyse(section("1", 0, 1), section("2", 3, 4), section("1", 1, 2),
				section("2", 4, 5));
		assertThat(analysis).isEqualTo(new SectionAnalysis(0, 2, 1, 1, 0, 0));
	}

	@Test
	void sectionThatIsEnteredWhileAnotherIsInsideOverlaps() {
		assertThat(analyse(section("1", 0, 10), section("2", 1, 2), section("1", 3, 4), section("1", 10, 11)))
			.isEqualTo(new SectionAnalysis(2, 1, 2, 2, 0, 0));
	}

	@Test
	void sectionOfWhichTheEndIsUnknownOverlapsUntilItWasLastSeen() {
		Section seen = new Section("1", "t", "k", Access.EXCLUSIVE, 0, 10, null, null);
		assertThat(analyse(seen, section("2", 9, 10)).overlaps()).isOne();
		assertThat(analyse(seen, section("2", 10, 11)).overlaps()).isZero();
	}

	@Test
	void readersOverlapWithWritersOnly() {
		assertThat(analyse(section(Access.SHARED, 0, 5), section(Access.SHARED, 1, 6)).overlaps()).isZero();
		assertThat(analyse(section(Access.SHARED, 0, 5), section(Access.EXCLUSIVE, 1, 6)).overlaps()).isOne();
		assertThat(analyse(section(Access.EXCLUSIVE, 0, 5), section(Access.SHARED, 1, 6)).overlaps()).isOne();
	}

	@Test
	void moreThanThePermitsOverlap() {
		SectionAnalysis analysis = analyse(section(Access.PERMIT, 0, 5), section(Access.PERMIT, 1, 6),
				section(Access.PERMIT, 2, 3), section(Access.PERMIT, 5, 7));
		assertThat(analysis.overlaps()).isOne();
		assertThat(analysis.mostAtOnce()).isEqualTo(3);
	}

	@Test
	void sectionWithoutItsLeaseOverlapsWithNone() {
		Section lost = new Section("1", "t", "k", Access.EXCLUSIVE, 0, 10, 1L, Outcome.LOST);
		Section refused = new Section("1", "u", "k", Access.EXCLUSIVE, 0, 10, 1L, Outcome.REFUSED);
		assertThat(analyse(lost, refused, section("2", 5, 6))).isEqualTo(new SectionAnalysis(0, 0, 0, 1, 1, 1));
	}

	private static SectionAnalysis analyse(Section... sections) {
		return SectionAnalysis.of(List.of(sections), 2);
	}

	private static Section section(String instance, double start, double end) {
		return new Section(instance, "t", "k", Access.EXCLUSIVE, start, end, null, Outcome.DONE);
	}

	private static Section section(Access access, double start, double end) {
		return new Section("1", "t", "k", access, start, end, null, Outcome.DONE);
	}

}
