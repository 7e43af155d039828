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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ValueState}.
 */
class ValueStateTests {

	private static final long NOW = 1_000_000;

	private static final ValueChange INCREMENT = new ValueChange.Add(1, Long.MIN_VALUE);

	private static final List<ValueChange> CHANGES = List.of(INCREMENT, new ValueChange.Add(-1, 0, 2),
			new ValueChange.Set(1, ValueChange.ANY_VERSION), new ValueChange.Set(5, 0), new ValueChange.Set(6, 1),
			new ValueChange.Replace(0, 1), new ValueChange.Delete(ValueChange.ANY_VERSION), new ValueChange.Delete(2));

	private static final List<ValueChange> CHANGES_WITH_TIME = List.of(INCREMENT,
			new ValueChange.Set(5, ValueChange.ANY_VERSION), new ValueChange.Set(6, 2), new ValueChange.Replace(0, 1),
			new ValueChange.Delete(ValueChange.ANY_VERSION), new ValueChange.Expire(1), new ValueChange.Expire(2),
			new ValueChange.Expire(0));

	/**
	 * All sequences of four updates of two processes, repeated, late and in order,
	 * against a history that forgets nothing.
	 */
	@Test
	void everySequenceOfUpdatesHasTheResultsOfItsHistory() {
		assertThat(follow(ValueState.NONE, new History(), 4, CHANGES, List.of(0L))).isEqualTo(177_440);
	}

	/**
	 * Between two updates passes no time, or more than half of the shortest time to live.
	 */
	@Test
	void everySequenceOfUpdatesInTimeHasTheResultsOfItsHistory() {
		List<Long> times = List.of(0L, 600L);
		assertThat(follow(ValueState.NONE, new History(), 3, CHANGES_WITH_TIME, times)).isGreaterThan(30_000);
		List<ValueChange> few = List.of(INCREMENT, new ValueChange.Expire(1), new ValueChange.Set(6, 2));
		assertThat(follow(ValueState.NONE, new History(), 4, few, times)).isGreaterThan(30_000);
	}

	private long follow(ValueState state, History history, int steps, List<ValueChange> changes, List<Long> times) {
		if (steps == 0) {
			return 1;
		}
		long followed = 0;
		for (ValueUpdate update : updates(changes)) {
			if (history.hasAnother(update)) {
				continue;
			}
			for (long time : times) {
				History expected = new History(history);
				ValueState next = step(state, expected, update, time);
				followed += follow(next, expected, steps - 1, changes, times);
			}
		}
		return followed;
	}

	private static ValueState step(ValueState state, History history, ValueUpdate update, long time) {
		history.pass(time);
		ValueState present = state.at(history.now);
		ValueUpdateResult result = history.apply(update);
		ValueUpdateResult answer = present.answer(update);
		ValueState next = (answer != null) ? present : present.next(update, history.version, history.now);
		if (!result.equals((answer != null) ? answer : next.resultOf(update)) || !next.value().equals(history.value)) {
			throw new AssertionError(update + " applied to " + state + ": " + result + " is expected");
		}
		return next;
	}

	private static List<ValueUpdate> updates(List<ValueChange> changes) {
		List<ValueUpdate> updates = new ArrayList<>();
		for (String process : List.of("one", "two")) {
			for (int sequence = 1; sequence <= 2; sequence++) {
				for (ValueChange change : changes) {
					updates.add(new ValueUpdate("key", change, new OwnerId(process, sequence), sequence == 1));
				}
			}
		}
		return updates;
	}

	@Test
	void versionThatTheStoreGivesIsThatOfTheResult() {
		ValueState written = ValueState.NONE.next(update("one", 1, INCREMENT), 0, NOW).withVersion(7);
		assertThat(written.resultOf(update("one", 1, INCREMENT)))
			.isEqualTo(new ValueUpdateResult(Value.ABSENT, new Value(1, 7)));
		ValueState next = written.next(update("two", 1, INCREMENT), 0, NOW).withVersion(9);
		assertThat(next.answer(update("one", 1, INCREMENT))).isEqualTo(written.resultOf(update("one", 1, INCREMENT)));
		assertThat(next.value()).isEqualTo(new Value(2, 9));
	}

	@Test
	void deletedValueKeepsItsVersionAndUpdates() {
		ValueState deleted = ValueState.NONE.next(update("one", 1, INCREMENT), 3, NOW)
			.next(update("two", 1, new ValueChange.Delete(3)), 4, NOW);
		assertThat(deleted.value()).isEqualTo(Value.ABSENT);
		assertThat(deleted.version()).isEqualTo(4);
		assertThat(deleted.answer(update("two", 1, new ValueChange.Delete(3))))
			.isEqualTo(new ValueUpdateResult(new Value(1, 3), Value.ABSENT));
	}

	@Test
	void valueIsAbsentWhenItsTimeToLiveIsOver() {
		ValueState state = ValueState.NONE.next(update("one", 1, INCREMENT), 1, NOW)
			.next(update("one", 2, new ValueChange.Expire(5)), 2, NOW);
		assertThat(state.expiry()).isEqualTo(NOW + 5_000);
		assertThat(state.value()).isEqualTo(new Value(1, 2));
		assertThat(state.at(NOW + 4_999)).isSameAs(state);
		ValueState expired = state.at(NOW + 5_000);
		assertThat(expired.value()).isEqualTo(Value.ABSENT);
		assertThat(expired.version()).isEqualTo(2);
		assertThat(expired.answer(update("one", 2, new ValueChange.Expire(5))))
			.isEqualTo(new ValueUpdateResult(new Value(1, 1), new Value(1, 2)));
		assertThat(expired.answer(update("one", 1, INCREMENT)).applied()).as("late").isFalse();
		assertThat(expired.answer(update("two", 1, new ValueChange.Expire(5))).applied()).isFalse();
	}

	@Test
	void changesKeepTheTimeToLiveUntilTheValueIsDeleted() {
		ValueState state = ValueState.NONE.next(update("one", 1, INCREMENT), 1, NOW)
			.next(update("one", 2, new ValueChange.Expire(5)), 2, NOW);
		for (ValueChange change : List.of(INCREMENT, new ValueChange.Set(9, 2), new ValueChange.Replace(7, 1))) {
			assertThat(state.next(update("two", 1, change), 3, NOW + 1).expiry()).isEqualTo(state.expiry());
		}
		assertThat(state.next(update("two", 1, new ValueChange.Expire(7)), 3, NOW + 1).expiry()).isEqualTo(NOW + 7_001);
		assertThat(state.next(update("two", 1, new ValueChange.Expire(0)), 3, NOW).expiry()).isZero();
		assertThat(state.next(update("two", 1, new ValueChange.Delete(2)), 3, NOW).expiry()).isZero();
		ValueState again = state.at(NOW + 9_000).next(update("two", 1, INCREMENT), 3, NOW + 9_000);
		assertThat(again.expiry()).isZero();
		assertThat(again.value()).isEqualTo(new Value(1, 3));
	}

	@Test
	void lastUpdatesOfManyProcessesAreKept() {
		ValueState state = ValueState.NONE;
		for (int i = 1; i < ValueState.MAX_UPDATES; i++) {
			state = state.next(update("process" + i, 1, INCREMENT), i, NOW);
		}
		assertThat(ValueState.MAX_UPDATES).isGreaterThanOrEqualTo(ValueBackend.REMEMBERED_PROCESSES);
		assertThat(state.answer(update("another", 1, INCREMENT).again())).as("nothing is forgotten").isNull();
		ValueState full = state.next(update("another", 1, INCREMENT), ValueState.MAX_UPDATES, NOW);
		assertThat(full.answer(update("process1", 1, INCREMENT).again()))
			.isEqualTo(new ValueUpdateResult(Value.ABSENT, new Value(1, 1)));
		ValueState more = full.next(update("one more", 1, INCREMENT), ValueState.MAX_UPDATES + 1, NOW);
		assertThat(more.updates()).hasSize(ValueState.MAX_UPDATES);
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> more.answer(update("process1", 1, INCREMENT).again()))
			.withMessageContaining("repeated");
		assertThat(more.answer(update("process1", 2, INCREMENT))).isNull();
	}

	@Test
	void updatesCanBeReadFromTheirText() {
		ValueState state = ValueState.NONE.next(update("one", Long.MAX_VALUE, INCREMENT), 1, NOW)
			.next(update("two", 1, new ValueChange.Set(Long.MIN_VALUE, 1)), 2, NOW)
			.next(update("three", 1, new ValueChange.Delete(2)), 3, NOW);
		String text = AppliedUpdate.toText(state.updates());
		assertThat(text).isEqualTo("three 1 -9223372036854775808@2 3\ntwo 1 1@1 2\none 9223372036854775807 - 1");
		assertThat(AppliedUpdate.parse(text)).isEqualTo(state.updates());
		assertThat(AppliedUpdate.parse("")).isEmpty();
	}

	@Test
	void otherTextsAreRejected() {
		for (String text : List.of(" ", "one", "one 1", "one x -", "one 1 7 1", "one 1 7@ 1", "one 1 - x")) {
			assertThatExceptionOfType(RuntimeException.class).as(text).isThrownBy(() -> AppliedUpdate.parse(text));
		}
	}

	private static ValueUpdate update(String process, long sequence, ValueChange change) {
		return new ValueUpdate("key", change, new OwnerId(process, sequence));
	}

	/**
	 * Everything that happened to a value.
	 */
	private static final class History {

		private final Map<OwnerId, ValueUpdateResult> results = new HashMap<>();

		private final Map<OwnerId, ValueChange> changes = new HashMap<>();

		private Value value = Value.ABSENT;

		private long version;

		private long now = NOW;

		private long expiry = Long.MAX_VALUE;

		History() {
		}

		History(History other) {
			this.results.putAll(other.results);
			this.changes.putAll(other.changes);
			this.value = other.value;
			this.version = other.version;
			this.now = other.now;
			this.expiry = other.expiry;
		}

		void pass(long time) {
			this.now += time;
			if (this.now >= this.expiry) {
				this.value = Value.ABSENT;
				this.expiry = Long.MAX_VALUE;
			}
		}

		/**
		 * Return whether another change has the same identity, which no process does.
		 */
		boolean hasAnother(ValueUpdate update) {
			return !update.change().equals(this.changes.getOrDefault(update.id(), update.change()));
		}

		ValueUpdateResult apply(ValueUpdate update) {
			this.changes.put(update.id(), update.change());
			ValueUpdateResult former = this.results.get(update.id());
			boolean late = IntStream.rangeClosed((int) update.id().sequence() + 1, 2)
				.anyMatch((later) -> this.results.containsKey(new OwnerId(update.id().instance(), later)));
			if (late || former != null) {
				return (late || former == null) ? new ValueUpdateResult(this.value, this.value) : former;
			}
			Value before = this.value;
			if (update.change().appliesTo(before)) {
				this.version++;
				long number = update.change().numberAfter(before);
				boolean deleted = update.change() instanceof ValueChange.Delete
						|| update.change() instanceof ValueChange.Add add && number < add.minKept();
				this.value = deleted ? Value.ABSENT : new Value(number, this.version);
				this.results.put(update.id(), new ValueUpdateResult(before, this.value));
				if (update.change() instanceof ValueChange.Expire expire) {
					this.expiry = (expire.millis() != 0) ? this.now + 1000 * expire.millis() : Long.MAX_VALUE;
				}
				this.expiry = this.value.exists() ? this.expiry : Long.MAX_VALUE;
			}
			return new ValueUpdateResult(before, this.value);
		}

	}

}
