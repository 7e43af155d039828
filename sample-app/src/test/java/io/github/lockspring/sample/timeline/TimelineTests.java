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

package io.github.lockspring.sample.timeline;

import org.junit.jupiter.api.Test;

import io.github.lockspring.sample.timeline.Timeline.Excerpt;
import io.github.lockspring.sample.timeline.Timeline.Position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link Timeline}.
 */
class TimelineTests {

	private final Timeline timeline = new Timeline("2");

	@Test
	void sectionIsRecordedFromItsStartToItsEnd() {
		double before = Timeline.now();
		assertThat(this.timeline.record("k", Access.SHARED, () -> "result")).isEqualTo("result");
		Section section = this.timeline.since(Position.START).sections().get(0);
		assertThat(section.instance()).isEqualTo("2");
		assertThat(section.thread()).isEqualTo(Thread.currentThread().getName());
		assertThat(section.access()).isEqualTo(Access.SHARED);
		assertThat(section.outcome()).isEqualTo(Outcome.DONE);
		assertThat(section.token()).isNull();
		assertThat(section.start()).isBetween(before, section.end());
	}

	@Test
	void sectionThatIsOpenIsReturnedEachTimeAsLastSeenThen() {
		this.timeline.record("k", Access.EXCLUSIVE, () -> {
			double before = Timeline.now();
			Excerpt first = this.timeline.since(Position.START);
			assertThat(first.sections()).singleElement().satisfies((section) -> {
				assertThat(section.outcome()).isNull();
				assertThat(section.end()).isBetween(before, Timeline.now());
			});
			double between = Timeline.now();
			assertThat(this.timeline.since(first.position()).sections()).singleElement().satisfies((section) -> {
				assertThat(section.start()).isEqualTo(first.sections().get(0).start());
				assertThat(section.end()).isGreaterThanOrEqualTo(between);
			});
			return null;
		});
	}

	@Test
	void sectionThatWasLeftIsReturnedOnce() {
		record("first");
		Excerpt excerpt = this.timeline.since(Position.START);
		assertThat(this.timeline.since(excerpt.position()).sections()).isEmpty();
		record("second");
		assertThat(this.timeline.since(excerpt.position()).sections()).extracting(Section::key)
			.containsExactly("second");
	}

	@Test
	void sectionThatFailsIsLeft() {
		assertThatIllegalStateException().isThrownBy(() -> this.timeline.record("k", Access.EXCLUSIVE, () -> {
			throw new IllegalStateException();
		}));
		assertThat(this.timeline.since(Position.START).sections()).singleElement()
			.satisfies((section) -> assertThat(section.outcome()).isEqualTo(Outcome.DONE));
	}

	@Test
	void numberOfSectionsIsLimited() {
		for (int i = 0; i < Timeline.CAPACITY + 5; i++) {
			record("k" + i);
		}
		Excerpt excerpt = this.timeline.since(Position.START);
		assertThat(excerpt.sections()).hasSize(Timeline.CAPACITY).first().extracting(Section::key).isEqualTo("k5");
		assertThat(this.timeline.since(excerpt.position()).sections()).isEmpty();
	}

	private void record(String key) {
		this.timeline.record(key, Access.EXCLUSIVE, () -> null);
	}

}
