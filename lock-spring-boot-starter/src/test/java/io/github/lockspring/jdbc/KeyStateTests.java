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

package io.github.lockspring.jdbc;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link KeyState} and {@link KeyEntry}.
 */
class KeyStateTests {

	private static final long NOW = 1_000;

	private static final KeyState FREE = KeyState.absent(NOW);

	@Test
	void freeKeyAdmitsEveryMode() {
		assertThat(Stream.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.permits(2, 2)))
			.allMatch((mode) -> FREE.admits("a", mode, true));
	}

	@Test
	void modesDoNotMix() {
		KeyState shared = FREE.with(holder("a", LeaseMode.SHARED));
		KeyState exclusive = FREE.with(holder("a", LeaseMode.EXCLUSIVE));
		KeyState permits = FREE.with(holder("a", LeaseMode.permits(1, 2)));
		assertThat(shared.admits("b", LeaseMode.SHARED, false)).isTrue();
		assertThat(shared.admits("b", LeaseMode.EXCLUSIVE, false)).isFalse();
		assertThat(shared.admits("b", LeaseMode.permits(1, 2), false)).isFalse();
		assertThat(exclusive.admits("b", LeaseMode.SHARED, false)).isFalse();
		assertThat(exclusive.admits("b", LeaseMode.permits(1, 2), false)).isFalse();
		assertThat(permits.admits("b", LeaseMode.SHARED, false)).isFalse();
		assertThat(permits.admits("b", LeaseMode.EXCLUSIVE, false)).isFalse();
		assertThat(permits.admits("b", LeaseMode.permits(1, 2), false)).isTrue();
		assertThat(permits.admits("b", LeaseMode.permits(2, 2), false)).isFalse();
	}

	@Test
	void fairRequestLetsThoseBeforeItIn() {
		KeyState queue = queued(queued(FREE, "a", LeaseMode.EXCLUSIVE), "b", LeaseMode.EXCLUSIVE);
		assertThat(queue.admits("a", LeaseMode.EXCLUSIVE, true)).isTrue();
		assertThat(queue.admits("b", LeaseMode.EXCLUSIVE, true)).isFalse();
		assertThat(queue.admits("c", LeaseMode.EXCLUSIVE, true)).isFalse();
		assertThat(queue.admits("c", LeaseMode.EXCLUSIVE, false)).isTrue();
	}

	@Test
	void readersDoNotWaitForReadersBeforeThem() {
		KeyState queue = queued(queued(FREE, "a", LeaseMode.SHARED), "b", LeaseMode.SHARED);
		assertThat(queue.admits("b", LeaseMode.SHARED, true)).isTrue();
		assertThat(queued(queue, "w", LeaseMode.EXCLUSIVE).admits("c", LeaseMode.SHARED, true)).isFalse();
		assertThat(queue.admits("w", LeaseMode.EXCLUSIVE, true)).isFalse();
	}

	@Test
	void placeIsProlongedWhenItIsHalfOverAndStaysWhereItIs() {
		KeyState queue = queued(queued(FREE, "a", LeaseMode.EXCLUSIVE), "b", LeaseMode.EXCLUSIVE);
		assertThat(queued(queue, "a", LeaseMode.EXCLUSIVE)).isSameAs(queue);
		KeyState later = later(queue, NOW + 60);
		assertThat(queued(later, "a", LeaseMode.EXCLUSIVE).queueEntries()).extracting(KeyEntry::owner, KeyEntry::end)
			.containsExactly(tuple("a", NOW + 160), tuple("b", NOW + 100));
	}

	@Test
	void placeOfContenderThatDoesNotAskAgainLapses() {
		KeyState queue = queued(queued(FREE, "a", LeaseMode.EXCLUSIVE), "b", LeaseMode.EXCLUSIVE);
		KeyState extended = queued(later(queue, NOW + 60), "b", LeaseMode.EXCLUSIVE);
		assertThat(later(extended, NOW + 99).admits("b", LeaseMode.EXCLUSIVE, true)).isFalse();
		assertThat(later(extended, NOW + 100).admits("b", LeaseMode.EXCLUSIVE, true)).isTrue();
	}

	@Test
	void holderLeavesTheQueue() {
		KeyState queue = queued(FREE, "a", LeaseMode.EXCLUSIVE);
		assertThat(queue.with(holder("a", LeaseMode.EXCLUSIVE)).queueEntries()).isEmpty();
	}

	@Test
	void otherLimitIsRefusedAlsoForThoseInTheQueue() {
		KeyState queue = queued(FREE, "a", LeaseMode.permits(1, 5));
		assertThatIllegalArgumentException().isThrownBy(() -> queue.checkLimit(LeaseMode.permits(1, 7)))
			.withMessageContaining("limit of 5 permits, not 7");
		queue.checkLimit(LeaseMode.permits(1, 5));
		queue.checkLimit(LeaseMode.SHARED);
	}

	@Test
	void strangerChangesNothing() {
		KeyState state = queued(FREE.with(holder("a", LeaseMode.SHARED)), "b", LeaseMode.EXCLUSIVE);
		assertThat(state.without("c")).isSameAs(state);
		assertThat(state.without("a").holders()).isEmpty();
		assertThat(state.without("b").queueEntries()).isEmpty();
	}

	@Test
	void tokenIsTheClockOrOneMoreThanTheLast() {
		assertThat(FREE.nextToken()).isEqualTo(NOW);
		assertThat(KeyState.of(1, NOW, NOW + 7, null, 0, null).nextToken()).isEqualTo(NOW + 8);
	}

	@Test
	void textHoldsSharersAndQueueAndColumnsTheExclusiveHolder() {
		KeyState state = queued(
				queued(FREE.with(holder("a", LeaseMode.SHARED)).with(holder("b", LeaseMode.permits(2, 9))), "c",
						LeaseMode.permits(3, 9)),
				"d", LeaseMode.EXCLUSIVE);
		assertThat(state.toLines()).isEqualTo("""
				s a 5 2000 1@host
				p2/9 b 5 2000 1@host
				+p3/9 c 0 1100 1@host
				+x d 0 1100 1@host
				""");
		KeyState read = KeyState.of(KeyState.ABSENT, NOW, 5, null, state.sharedUntil(), state.toLines());
		assertThat(read).isEqualTo(state);
		assertThat(FREE.with(holder("a", LeaseMode.EXCLUSIVE)).toLines()).isNull();
	}

	@Test
	void thoseWhoseTimeIsOverAreGone() {
		KeyState state = queued(FREE.with(holder("a", LeaseMode.SHARED)), "b", LeaseMode.EXCLUSIVE);
		assertThat(later(state, 1_999).holders()).hasSize(1);
		assertThat(later(state, 2_000).holders()).isEmpty();
		assertThat(later(state, 1_100).queueEntries()).isEmpty();
		KeyEntry exclusive = holder("a", LeaseMode.EXCLUSIVE);
		assertThat(KeyState.of(1, 1_999, 5, exclusive, 0, null).exclusive()).isEqualTo(exclusive);
		assertThat(KeyState.of(1, 2_000, 5, exclusive, 0, null).exclusive()).isNull();
	}

	@Test
	void clockThatGoesBackBringsNoHolderBack() {
		KeyState state = FREE.with(holder("a", LeaseMode.SHARED));
		KeyEntry successor = new KeyEntry("b", LeaseMode.EXCLUSIVE, false, 6, 3_000, "");
		assertThat(KeyState.of(1, NOW, 6, successor, 0, state.toLines()).holders()).containsExactly(successor);
	}

	@Test
	void nameOfTheProcessCannotBreakTheLine() {
		KeyEntry entry = new KeyEntry("a", LeaseMode.SHARED, false, 1, 2, "1@h\u00f6st\n+x b 0 9 ");
		assertThat(entry.toLine()).isEqualTo("s a 1 2 1@h?st?+x b 0 9 ");
		assertThat(KeyEntry.ofLine(entry.toLine()).owner()).isEqualTo("a");
	}

	@Test
	void entryOfALaterVersionIsNotGuessedAt() {
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> KeyEntry.ofLine("z a 1 2 \u001b3"))
			.withMessageContaining("cannot read: z a 1 2 ?3");
	}

	private static KeyEntry holder(String owner, LeaseMode mode) {
		return new KeyEntry(owner, mode, false, 5, 2_000, "1@host");
	}

	private static KeyState queued(KeyState state, String owner, LeaseMode mode) {
		return state.withQueueEntry(owner, mode, "1@host", 100);
	}

	private static KeyState later(KeyState state, long now) {
		return KeyState.of(1, now, state.token(), state.exclusive(), state.sharedUntil(), state.toLines());
	}

}
