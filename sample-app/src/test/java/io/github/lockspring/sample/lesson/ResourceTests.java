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

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Resource}.
 */
class ResourceTests {

	private final Resource resource = new Resource();

	@Test
	void ownerThatWritesAloneIsNotOneOfTwo() {
		this.resource.enter("A", Contender.UNFENCED);
		assertThat(this.resource.write("A", Contender.UNFENCED)).isTrue();
		this.resource.leave("A");
		this.resource.enter("B", Contender.UNFENCED);
		assertThat(this.resource.write("B", Contender.UNFENCED)).isTrue();
		assertThat(this.resource.hadTwoInside()).isFalse();
		assertThat(this.resource.stays()).extracting(Outcome.Stay::owner).containsExactly("A", "B");
	}

	@Test
	void writeWhileALaterOwnerIsInsideIsSeen() {
		this.resource.enter("A", Contender.UNFENCED);
		this.resource.enter("B", Contender.UNFENCED);
		assertThat(this.resource.write("A", Contender.UNFENCED)).isTrue();
		assertThat(this.resource.hadTwoInside()).isTrue();
	}

	@Test
	void writeWithTheTokenOfAFormerOwnerIsRejected() {
		this.resource.enter("A", 7);
		this.resource.enter("B", 8);
		assertThat(this.resource.write("A", 7)).isFalse();
		assertThat(this.resource.write("B", 8)).isTrue();
		assertThat(this.resource.hadTwoInside()).isFalse();
		assertThat(this.resource.moments()).extracting(Outcome.Moment::kind).containsExactly("refused", "written");
	}

	@Test
	void ownerThatKnowsOfItsLossDoesNotWrite() {
		this.resource.enter("A", 7);
		assertThat(this.resource.write("A", Contender.LOST)).isFalse();
		assertThat(this.resource.stays()).extracting(Outcome.Stay::outcome).containsExactly("lost");
	}

}
