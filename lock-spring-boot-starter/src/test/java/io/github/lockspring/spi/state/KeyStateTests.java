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

package io.github.lockspring.spi.state;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link KeyState} and {@link KeyEntry}.
 */
class KeyStateTests {

	private static final Instant NOW = Instant.ofEpochSecond(1_000);

	private static final Instant END = NOW.plusSeconds(1);

	private static final KeyState FREE = KeyState.free(NOW, 0);

	@Test
	void freeKeyAdmitsEveryMode() {
		assertThat(Stream.of(LeaseMode.EXCLUSIVE, LeaseMode.SHARED, LeaseMode.permits(2, 2)))
			.allMatch((mode) -> FREE.admits("a", mode, true));
	}

	@Test
	void modesDoNotMix() {
		KeyState shared = FREE.granted(holder("a", LeaseMode.SHARED));
		KeyState exclusive = FREE.granted(holder("a", LeaseMode.EXCLUSIVE));
		KeyState permits = FREE.granted(holder("a", LeaseMode.permits(1, 2)));
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
	void requestsThatWouldStarveOthersAreGrantedInTurn() {
		KeyState writerNext = queued(queued(FREE, "a", LeaseMode.EXCLUSIVE), "b", LeaseMode.SHARED);
		KeyState readerNext = queued(queued(FREE, "a", LeaseMode.SHARED), "b", LeaseMode.EXCLUSIVE);
		assertThat(FREE.isInTurn(terms(LeaseMode.SHARED, false), true)).isFalse();
		assertThat(FREE.isInTurn(terms(LeaseMode.SHARED, true), false)).isTrue();
		assertThat(writerNext.isInTurn(terms(LeaseMode.SHARED, false), false)).isTrue();
		assertThat(readerNext.isInTurn(terms(LeaseMode.SHARED, false), false)).isFalse();
		assertThat(writerNext.isInTurn(terms(LeaseMode.EXCLUSIVE, false), true)).isFalse();
		assertThat(writerNext.isInTurn(terms(LeaseMode.permits(1, 2), false), true)).isTrue();
		assertThat(writerNext.isInTurn(terms(LeaseMode.permits(1, 2), false), false)).isFalse();
	}

	private static LeaseTerms terms(LeaseMode mode, boolean fair) {
		return new LeaseTerms(mode, fair, Duration.ofSeconds(1), 1);
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
	void halfExpiredEntryIsExtendedAndKeepsItsPosition() {
		KeyState queue = queued(queued(FREE, "a", LeaseMode.EXCLUSIVE), "b", LeaseMode.EXCLUSIVE);
		assertThat(queued(queue, "a", LeaseMode.EXCLUSIVE)).isSameAs(queue);
		KeyState later = later(queue, NOW.plusMillis(60));
		assertThat(queued(later, "a", LeaseMode.EXCLUSIVE).queue()).extracting(KeyEntry::owner, KeyEntry::end)
			.containsExactly(tuple("a", NOW.plusMillis(160)), tuple("b", NOW.plusMillis(100)));
	}

	@Test
	void entryOfContenderThatDoesNotRetryExpires() {
		KeyState queue = queued(queued(FREE, "a", LeaseMode.EXCLUSIVE), "b", LeaseMode.EXCLUSIVE);
		KeyState extended = queued(later(queue, NOW.plusMillis(60)), "b", LeaseMode.EXCLUSIVE);
		assertThat(later(extended, NOW.plusMillis(99)).admits("b", LeaseMode.EXCLUSIVE, true)).isFalse();
		assertThat(later(extended, NOW.plusMillis(100)).admits("b", LeaseMode.EXCLUSIVE, true)).isTrue();
	}

	@Test
	void holderLeavesTheQueue() {
		KeyState queue = queued(FREE, "a", LeaseMode.EXCLUSIVE);
		assertThat(queue.granted(holder("a", LeaseMode.EXCLUSIVE)).queue()).isEmpty();
	}

	@Test
	void otherLimitIsRejectedAlsoForThoseInTheQueue() {
		KeyState queue = queued(FREE, "a", LeaseMode.permits(1, 5));
		assertThatIllegalArgumentException().isThrownBy(() -> states(queue).checkLimit(LeaseMode.permits(1, 7)))
			.withMessageContaining("limit of 5 permits, not 7");
		states(queue).checkLimit(LeaseMode.permits(1, 5));
		states(queue).checkLimit(LeaseMode.SHARED);
	}

	@Test
	void strangerChangesNothing() {
		KeyState state = queued(FREE.granted(holder("a", LeaseMode.SHARED)), "b", LeaseMode.EXCLUSIVE);
		assertThat(state.without("c")).isSameAs(state);
		assertThat(state.without("a").holders()).isEmpty();
		assertThat(state.without("b").queue()).isEmpty();
	}

	@Test
	void tokenIsTheClockOrOneMoreThanTheLast() {
		long micros = NOW.getEpochSecond() * 1_000_000;
		assertThat(FREE.nextToken()).isEqualTo(micros);
		assertThat(KeyState.free(NOW, micros + 7).nextToken()).isEqualTo(micros + 8);
	}

	@Test
	void thoseWhoseTimeIsOverAreGone() {
		KeyState state = queued(FREE.granted(holder("a", LeaseMode.SHARED)), "b", LeaseMode.EXCLUSIVE);
		assertThat(later(state, END.minusNanos(1)).holders()).hasSize(1);
		assertThat(later(state, END).holders()).isEmpty();
		assertThat(later(state, NOW.plusMillis(100)).queue()).isEmpty();
		KeyEntry exclusive = holder("a", LeaseMode.EXCLUSIVE);
		KeyState held = FREE.granted(exclusive);
		assertThat(later(held, END.minusNanos(1)).exclusive()).isEqualTo(exclusive);
		assertThat(later(held, END).exclusive()).isNull();
	}

	@Test
	void nameOfTheProcessCannotBreakTheLine() {
		KeyEntry entry = new KeyEntry("a", LeaseMode.SHARED, false, 1, Instant.EPOCH.plusNanos(2_999),
				"1@h\u00f6st\n+x b 0 9 ");
		assertThat(entry.toLine()).isEqualTo("s a 1 2 1@h?st?+x b 0 9 ");
		assertThat(KeyEntry.ofLine(entry.toLine()).owner()).isEqualTo("a");
	}

	@Test
	void entryOfALaterVersionIsNotGuessedAt() {
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> KeyEntry.ofLine("z a 1 2 \u001b3"))
			.withMessageContaining("cannot read: z a 1 2 ?3");
	}

	@Test
	void fairRequestIsQueuedAndAnyOtherWaitsForTheKeyToBeHandedOff() {
		LeaseRequest fair = request(true);
		LeaseRequest other = request(false);
		KeyState queue = FREE.entered(fair, "1@host", true);
		assertThat(queue.queueEntry(fair.ownerText())).isNotNull();
		assertThat(queue.waiting()).isEmpty();
		assertThat(FREE.entered(fair, "1@host", false)).isEqualTo(queue);
		assertThat(FREE.entered(other, "1@host", true).waiting()).containsExactly(other.ownerText());
		assertThat(FREE.entered(other, "1@host", false)).isSameAs(FREE);
	}

	private static LeaseRequest request(boolean fair) {
		return new LeaseRequest(List.of("a"), new LeaseTerms(LeaseMode.EXCLUSIVE, fair, Duration.ofSeconds(1), 1),
				new OwnerId("process", 1));
	}

	private static KeyEntry holder(String owner, LeaseMode mode) {
		return new KeyEntry(owner, mode, false, 5, END, "1@host");
	}

	private static KeyState queued(KeyState state, String owner, LeaseMode mode) {
		return state.queued(owner, mode, "1@host", Duration.ofMillis(100));
	}

	private static KeyState later(KeyState state, Instant now) {
		return state.at(now);
	}

	private static KeyStates states(KeyState state) {
		return KeyStates.of(List.of("key"), (key) -> state);
	}

}
