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

package io.github.lockspring.spi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Rules of values: versioned numbers that are read, changed and watched.
 */
@Tag(LockBackendContractTests.EVERYWHERE)
abstract class ValueRules extends BackendRules {

	private static final long NO_MIN = Long.MIN_VALUE;

	private static final Duration SHORT_LIFE = Duration.ofMillis(1);

	private static final Duration TIMEOUT = BackendProcess.TIMEOUT;

	private final AtomicLong sequence = new AtomicLong();

	ValueRules(LockBackendContractTests contract) {
		super(contract);
	}

	@BeforeEach
	void requireValues() {
		assumeTrue(this.one.backend().values().isPresent(), () -> "Backend " + this.one.name() + " has no values");
	}

	@Test
	void valueThatWasNeverSetIsAbsent() {
		assertThat(read(this.one)).isEqualTo(Value.ABSENT);
		assertThat(Value.ABSENT.exists()).isFalse();
		assertThat(values(this.one).read(List.of(), false, TIMEOUT)).isEmpty();
	}

	@Test
	void additionCreatesTheValueAndAddsToIt() {
		ValueUpdateResult first = add(this.one, 5);
		assertThat(first.applied()).isTrue();
		assertThat(first.before()).isEqualTo(Value.ABSENT);
		assertThat(first.after().number()).isEqualTo(5);
		ValueUpdateResult second = add(this.two, -7);
		assertThat(second.before()).isEqualTo(first.after());
		assertThat(second.after().number()).isEqualTo(-2);
		assertThat(second.after().version()).isGreaterThan(first.after().version());
		assertThat(read(this.one)).isEqualTo(second.after());
	}

	@Test
	void additionOfZeroCreatesTheValue() {
		ValueUpdateResult result = add(this.one, 0);
		assertThat(result.applied()).isTrue();
		assertThat(read(this.two)).isEqualTo(result.after());
		assertThat(read(this.two).exists()).isTrue();
	}

	@Test
	void additionKeepsAllBits() {
		set(this.one, Long.MAX_VALUE - 1);
		assertThat(add(this.two, 1).after().number()).isEqualTo(Long.MAX_VALUE);
		assertThat(read(this.one).number()).isEqualTo(Long.MAX_VALUE);
		set(this.one, Long.MIN_VALUE + 1);
		assertThat(add(this.two, -1).after().number()).isEqualTo(Long.MIN_VALUE);
		assertThat(add(this.two, Long.MAX_VALUE).after().number()).isEqualTo(-1);
		set(this.one, (1L << 53) + 1);
		assertThat(add(this.two, 2).after().number()).isEqualTo((1L << 53) + 3);
	}

	@Test
	void additionThatOverflowsIsNotApplied() {
		Value largest = set(this.one, Long.MAX_VALUE).after();
		ValueUpdateResult result = add(this.two, 1);
		assertThat(result.applied()).isFalse();
		assertThat(result.before()).isEqualTo(largest);
		assertThat(result.after()).isEqualTo(largest);
		Value smallest = set(this.one, Long.MIN_VALUE).after();
		assertThat(add(this.two, -1).applied()).isFalse();
		assertThat(add(this.two, Long.MIN_VALUE).applied()).isFalse();
		assertThat(read(this.one)).isEqualTo(smallest);
	}

	@Test
	void additionBelowTheMinimumIsNotApplied() {
		assertThat(change(this.one, new ValueChange.Add(-1, 0)).applied()).isFalse();
		assertThat(read(this.one)).isEqualTo(Value.ABSENT);
		Value two = set(this.one, 2).after();
		ValueUpdateResult below = change(this.two, new ValueChange.Add(-3, 0));
		assertThat(below.applied()).isFalse();
		assertThat(below.before()).isEqualTo(two);
		assertThat(change(this.two, new ValueChange.Add(-2, 0)).after().number()).isZero();
		assertThat(read(this.one).exists()).isTrue();
	}

	@Test
	void additionBelowTheNumberThatIsKeptDeletesTheValue() {
		ValueChange.Add decrement = new ValueChange.Add(-10, 0, 10);
		assertThat(change(this.one, new ValueChange.Add(5, NO_MIN, 6)).applied()).isFalse();
		assertThat(read(this.one)).isEqualTo(Value.ABSENT);
		Value former = set(this.one, 25).after();
		ValueUpdateResult kept = change(this.two, decrement);
		assertThat(kept.before()).isEqualTo(former);
		assertThat(kept.after().number()).isEqualTo(15);
		ValueUpdate last = update(this.one, decrement);
		ValueUpdateResult deleted = apply(this.one, last);
		assertThat(deleted).isEqualTo(new ValueUpdateResult(kept.after(), Value.ABSENT));
		assertThat(read(this.two)).isEqualTo(Value.ABSENT);
		assertThat(change(this.two, decrement).applied()).isFalse();
		assertThat(apply(this.one, last.again())).isEqualTo(deleted);
		assertThat(set(this.two, 12).before()).isEqualTo(Value.ABSENT);
		assertThat(apply(this.one, last.again())).isEqualTo(deleted);
		assertThat(read(this.one).number()).isEqualTo(12);
	}

	@Test
	void extremeNumbersAreKept() {
		Value largest = set(this.one, Long.MAX_VALUE - 1).after();
		assertThat(change(this.two, new ValueChange.Add(1, NO_MIN, Long.MAX_VALUE)).after().number())
			.isEqualTo(Long.MAX_VALUE);
		set(this.one, Long.MIN_VALUE);
		assertThat(change(this.two, new ValueChange.Add(largest.number(), NO_MIN, NO_MIN)).after().number())
			.isEqualTo(-2);
		assertThat(change(this.two, new ValueChange.Add(1, NO_MIN, Long.MAX_VALUE)).after()).isEqualTo(Value.ABSENT);
		set(this.one, Long.MIN_VALUE + 1);
		assertThat(change(this.two, new ValueChange.Add(-1, NO_MIN, Long.MIN_VALUE + 1)).after())
			.isEqualTo(Value.ABSENT);
	}

	@Test
	void assignmentReturnsTheFormerValue() {
		Value first = set(this.one, 42).after();
		ValueUpdateResult second = set(this.two, -42);
		assertThat(second.before()).isEqualTo(first);
		assertThat(second.after().number()).isEqualTo(-42);
	}

	@Test
	void assignmentOfTheSameNumberIsANewVersion() {
		Value first = set(this.one, 42).after();
		ValueUpdateResult second = set(this.two, 42);
		assertThat(second.applied()).isTrue();
		assertThat(second.after().version()).isGreaterThan(first.version());
	}

	@Test
	void assignmentRequiresTheExpectedVersion() {
		ValueUpdateResult created = change(this.one, new ValueChange.Set(1, 0));
		assertThat(created.applied()).isTrue();
		ValueUpdateResult again = change(this.two, new ValueChange.Set(2, 0));
		assertThat(again.applied()).isFalse();
		assertThat(again.before()).isEqualTo(created.after());
		ValueUpdateResult changed = change(this.two, new ValueChange.Set(3, created.after().version()));
		assertThat(changed.after().number()).isEqualTo(3);
		assertThat(change(this.one, new ValueChange.Set(4, created.after().version())).applied()).isFalse();
		assertThat(change(this.one, new ValueChange.Set(4, changed.after().version() + 1)).applied()).isFalse();
		assertThat(read(this.one)).isEqualTo(changed.after());
	}

	@Test
	void replacementRequiresTheExpectedNumber() {
		assertThat(change(this.one, new ValueChange.Replace(1, 7)).applied()).isFalse();
		assertThat(read(this.one)).isEqualTo(Value.ABSENT);
		assertThat(change(this.one, new ValueChange.Replace(Long.MAX_VALUE, 0)).applied()).isTrue();
		assertThat(change(this.two, new ValueChange.Replace(1, Long.MAX_VALUE - 1)).applied()).isFalse();
		ValueUpdateResult replaced = change(this.two, new ValueChange.Replace(-3, Long.MAX_VALUE));
		assertThat(replaced.before().number()).isEqualTo(Long.MAX_VALUE);
		assertThat(replaced.after().number()).isEqualTo(-3);
		assertThat(read(this.one)).isEqualTo(replaced.after());
	}

	@Test
	void deletionRemovesTheValue() {
		Value value = set(this.one, 42).after();
		assertThat(delete(this.two, value.version() - 1).applied()).isFalse();
		ValueUpdateResult deleted = delete(this.two, value.version());
		assertThat(deleted.before()).isEqualTo(value);
		assertThat(deleted.after()).isEqualTo(Value.ABSENT);
		assertThat(read(this.one)).isEqualTo(Value.ABSENT);
		assertThat(delete(this.one, ValueChange.ANY_VERSION).applied()).isFalse();
		set(this.one, 1);
		assertThat(delete(this.one, ValueChange.ANY_VERSION).applied()).isTrue();
		assertThat(read(this.two)).isEqualTo(Value.ABSENT);
	}

	@Test
	void versionsIncreaseAcrossADeletion() {
		Value former = set(this.one, 42).after();
		delete(this.one, ValueChange.ANY_VERSION);
		Value next = add(this.two, 42).after();
		assertThat(next.number()).isEqualTo(42);
		assertThat(next.version()).isGreaterThan(former.version());
		assertThat(change(this.one, new ValueChange.Set(7, former.version())).applied()).isFalse();
		delete(this.one, ValueChange.ANY_VERSION);
		assertThat(change(this.one, new ValueChange.Set(7, next.version())).applied()).isFalse();
		assertThat(change(this.one, new ValueChange.Set(7, 0)).after().version()).isGreaterThan(next.version());
	}

	@Test
	void repetitionHasNoFurtherEffect() {
		set(this.one, 10);
		ValueUpdate update = update(this.one, new ValueChange.Add(5, NO_MIN));
		ValueUpdateResult first = apply(this.one, update);
		assertThat(apply(this.one, update.again())).isEqualTo(first);
		assertThat(apply(this.one, update)).isEqualTo(first);
		assertThat(read(this.two).number()).isEqualTo(15);
	}

	@Test
	void repetitionAfterUpdatesOfOthersHasNoFurtherEffect() {
		ValueUpdate update = update(this.one, new ValueChange.Add(5, NO_MIN));
		ValueUpdateResult first = apply(this.one, update);
		IntStream.range(0, 50).forEach((i) -> add(this.two, 1));
		assertThat(apply(this.one, update.again())).isEqualTo(first);
		assertThat(read(this.two).number()).isEqualTo(55);
	}

	@Test
	void repetitionOfAssignmentReplacementAndDeletionIsAnsweredAlike() {
		List<ValueChange> changes = List.of(new ValueChange.Set(3, ValueChange.ANY_VERSION),
				new ValueChange.Replace(4, 3), new ValueChange.Delete(ValueChange.ANY_VERSION),
				new ValueChange.Set(5, 0));
		for (ValueChange change : changes) {
			ValueUpdate update = update(this.one, change);
			ValueUpdateResult first = apply(this.one, update);
			assertThat(first.applied()).as("" + change).isTrue();
			assertThat(apply(this.one, update.again())).as("" + change).isEqualTo(first);
		}
	}

	@Test
	void repetitionAfterADeletionDoesNotCreateTheValueAgain() {
		ValueUpdate update = update(this.one, new ValueChange.Add(5, NO_MIN));
		ValueUpdateResult first = apply(this.one, update);
		delete(this.two, ValueChange.ANY_VERSION);
		assertThat(apply(this.one, update.again())).isEqualTo(first);
		assertThat(read(this.two)).isEqualTo(Value.ABSENT);
	}

	@Test
	void repetitionOfAnUpdateThatWasNotAppliedMayBeApplied() {
		ValueUpdate update = update(this.one, new ValueChange.Replace(1, 7));
		assertThat(apply(this.one, update).applied()).isFalse();
		set(this.two, 7);
		assertThat(apply(this.one, update.again()).after().number()).isEqualTo(1);
	}

	@Test
	void lateUpdateIsNotApplied() {
		ValueUpdate late = update(this.one, new ValueChange.Add(100, NO_MIN));
		Value value = apply(this.one, update(this.one, new ValueChange.Add(5, NO_MIN))).after();
		ValueUpdateResult result = apply(this.one, late);
		assertThat(result.applied()).isFalse();
		assertThat(result.before()).isEqualTo(value);
		assertThat(read(this.two)).isEqualTo(value);
	}

	@Test
	void lastUpdatesOfManyProcessesAreRemembered() {
		List<ValueUpdate> updates = new ArrayList<>();
		List<ValueUpdateResult> results = new ArrayList<>();
		for (int i = 0; i < ValueBackend.REMEMBERED_PROCESSES; i++) {
			updates.add(new ValueUpdate(this.key, new ValueChange.Add(1, NO_MIN),
					new OwnerId(OwnerId.newInstance(), Long.MAX_VALUE - 1)));
			results.add(apply(this.one, updates.get(i)));
		}
		for (int i = updates.size() - 1; i >= 0; i--) {
			assertThat(apply(this.two, updates.get(i).again())).isEqualTo(results.get(i));
		}
		assertThat(read(this.one).number()).isEqualTo(ValueBackend.REMEMBERED_PROCESSES);
	}

	@Test
	void updateThatMayBeForgottenIsUnknown() {
		ValueUpdate first = update(this.one, new ValueChange.Add(1, NO_MIN));
		apply(this.one, first);
		int others = 400;
		for (int i = 0; i < others; i++) {
			apply(this.two,
					new ValueUpdate(this.key, new ValueChange.Add(1, NO_MIN), new OwnerId(OwnerId.newInstance(), 1)));
		}
		try {
			assertThat(apply(this.one, first.again()).before()).isEqualTo(Value.ABSENT);
		}
		catch (OutcomeUnknownException ex) {
			assertThat(ex).hasMessageContaining("repeated");
		}
		assertThat(read(this.one).number()).isEqualTo(others + 1);
	}

	@Test
	void updatesOfManyThreadsAreAllCounted() {
		int updates = 25;
		List<Long> befores = inParallel(8, (process) -> {
			String instance = OwnerId.newInstance();
			List<Long> numbers = new ArrayList<>();
			for (int i = 1; i <= updates; i++) {
				ValueUpdate update = new ValueUpdate(this.key, new ValueChange.Add(1, NO_MIN),
						new OwnerId(instance, i));
				numbers.add(apply(process, update).before().number());
			}
			return numbers;
		}).stream().flatMap(List::stream).sorted().toList();
		assertThat(befores).isEqualTo(IntStream.range(0, 8 * updates).mapToObj((i) -> (long) i).toList());
		assertThat(read(this.one).number()).isEqualTo(8 * updates);
	}

	@Test
	void oneOfManyAssignmentsWithTheSameExpectationIsApplied() {
		long version = set(this.one, 0).after().version();
		List<Boolean> applied = inParallel(8, (process) -> apply(process,
				new ValueUpdate(this.key, new ValueChange.Set(1, version), new OwnerId(OwnerId.newInstance(), 1)))
			.applied());
		assertThat(applied).containsOnlyOnce(true);
	}

	@Test
	void oneOfManyIsTheFirst() {
		List<Boolean> applied = inParallel(8,
				(process) -> apply(process,
						new ValueUpdate(this.key, new ValueChange.Set(1, 0), new OwnerId(OwnerId.newInstance(), 1)))
					.applied());
		assertThat(applied).containsOnlyOnce(true);
	}

	@Test
	void manyValuesAreReadTogether() {
		List<String> keys = IntStream.range(0, 1000).mapToObj((i) -> this.key + ':' + i).toList();
		for (int i = 0; i < keys.size(); i += 100) {
			apply(this.one, new ValueUpdate(keys.get(i), new ValueChange.Add(i, NO_MIN), nextId(this.one)));
		}
		Map<String, Value> values = values(this.two).read(keys, false, TIMEOUT);
		assertThat(values).hasSize(10);
		assertThat(values.get(this.key + ":900").number()).isEqualTo(900);
		assertThat(values(this.two).read(keys, true, TIMEOUT)).isEqualTo(values);
	}

	@Test
	void everyTextIsAValueOfItsOwn() {
		List<String> texts = List.of("", "A", "a", "a ", "\u00e4", "e\u0301", "\u00e9", "/", "a/b", "..", "{x}", "'",
				"%", "_", "\\", "\0", "\n", "*", ":v", "\ud83d\ude00");
		for (int i = 0; i < texts.size(); i++) {
			apply(this.one, new ValueUpdate(this.key + texts.get(i), new ValueChange.Set(i, 0), nextId(this.one)));
		}
		Map<String, Value> values = values(this.two).read(texts.stream().map(this.key::concat).toList(), false,
				TIMEOUT);
		Set<Long> numbers = new HashSet<>();
		values.values().forEach((value) -> numbers.add(value.number()));
		assertThat(numbers).hasSize(texts.size());
	}

	@Test
	void longKeysHaveValues() {
		String longKey = this.key + "x".repeat(898 - this.key.length());
		ValueUpdate update = new ValueUpdate(longKey, new ValueChange.Set(7, 0), nextId(this.one));
		assertThat(apply(this.one, update).applied()).isTrue();
		assertThat(values(this.two).read(List.of(longKey), true, TIMEOUT).get(longKey).number()).isEqualTo(7);
	}

	@Test
	void valueIsDeletedWhenItsTimeToLiveIsOver() {
		requireExpiry();
		Value former = set(this.one, 7).after();
		ValueUpdateResult expiring = expire(this.one, SHORT_LIFE);
		assertThat(expiring.before()).isEqualTo(former);
		assertThat(expiring.after().number()).isEqualTo(7);
		assertThat(expiring.after().version()).isGreaterThan(former.version());
		awaitExpiry(this.two);
		assertThat(delete(this.one, ValueChange.ANY_VERSION).applied()).isFalse();
		assertThat(change(this.one, new ValueChange.Set(1, expiring.after().version())).applied()).isFalse();
		ValueUpdateResult next = add(this.two, 1);
		assertThat(next.before()).isEqualTo(Value.ABSENT);
		assertThat(next.after().number()).isOne();
		assertThat(next.after().version()).isGreaterThan(expiring.after().version());
		assertThat(read(this.one)).isEqualTo(next.after());
	}

	@Test
	void valueRemainsUntilItsTimeToLiveIsOver() {
		requireExpiry();
		set(this.one, 7);
		Value value = expire(this.one, Duration.ofHours(1)).after();
		assertThat(read(this.two)).isEqualTo(value);
		assertThat(values(this.two).read(List.of(this.key), true, TIMEOUT)).containsValue(value);
		assertThat(add(this.two, 1).before()).isEqualTo(value);
		assertThat(expire(this.two, Duration.ofDays(36_500)).applied()).isTrue();
		assertThat(read(this.one).number()).isEqualTo(8);
	}

	@Test
	void valueThatDoesNotExistHasNoTimeToLive() {
		requireExpiry();
		assertThat(expire(this.one, SHORT_LIFE).applied()).isFalse();
		assertThat(change(this.one, new ValueChange.Expire(0)).applied()).isFalse();
		set(this.one, 1);
		delete(this.one, ValueChange.ANY_VERSION);
		assertThat(expire(this.two, SHORT_LIFE).applied()).isFalse();
		assertThat(read(this.two)).isEqualTo(Value.ABSENT);
	}

	@Test
	void changesKeepTheTimeToLive() {
		requireExpiry();
		expireUntil(() -> add(this.one, 1).before().exists() && add(this.two, 1).before().exists()
				&& set(this.one, 4).before().exists() && change(this.two, new ValueChange.Replace(5, 4)).applied());
		awaitExpiry(this.one);
	}

	@Test
	void timeToLiveCanBeReplaced() {
		requireExpiry();
		awaitEndOf(expireUntil(() -> expire(this.two, Duration.ofHours(1)).applied()));
		assertThat(read(this.one).exists()).isTrue();
		expire(this.one, SHORT_LIFE);
		awaitExpiry(this.two);
	}

	@Test
	void timeToLiveIsRemovedOnDemand() {
		requireExpiry();
		awaitEndOf(expireUntil(() -> change(this.two, new ValueChange.Expire(0)).applied()));
		assertThat(read(this.one).number()).isOne();
	}

	@Test
	void timeToLiveIsRemovedByDeletion() {
		requireExpiry();
		Duration life = expireUntil(() -> delete(this.two, ValueChange.ANY_VERSION).applied());
		set(this.one, 2);
		awaitEndOf(life);
		assertThat(read(this.two).number()).isEqualTo(2);
		expire(this.one, SHORT_LIFE);
		awaitExpiry(this.one);
		set(this.one, 3);
		awaitEndOf(SHORT_LIFE);
		assertThat(read(this.two).number()).isEqualTo(3);
	}

	/**
	 * Gives the value a time to live that is long enough for the next calls to find it.
	 */
	private Duration expireUntil(BooleanSupplier found) {
		Duration life = Duration.ofMillis(200);
		do {
			life = life.multipliedBy(2);
			assertThat(life).isLessThan(TIMEOUT);
			set(this.one, 1);
			expire(this.one, life);
		}
		while (!found.getAsBoolean());
		return life;
	}

	/**
	 * Waits until a value has ended whose time to live began later.
	 */
	private void awaitEndOf(Duration life) {
		String later = this.key + ":later";
		for (ValueChange change : List.of(new ValueChange.Set(1, ValueChange.ANY_VERSION),
				new ValueChange.Expire(life.toMillis()))) {
			assertThat(apply(this.one, new ValueUpdate(later, change, nextId(this.one))).applied()).isTrue();
		}
		await().until(() -> values(this.two).read(List.of(later), false, TIMEOUT).isEmpty());
	}

	@Test
	void repetitionsAreRecognizedAfterTheTimeToLive() {
		requireExpiry();
		ValueUpdate addition = update(this.two, new ValueChange.Add(5, NO_MIN));
		ValueUpdateResult added = apply(this.two, addition);
		ValueUpdate expiry = update(this.one, new ValueChange.Expire(SHORT_LIFE.toMillis()));
		ValueUpdateResult expiring = apply(this.one, expiry);
		awaitExpiry(this.one);
		assertThat(apply(this.two, addition.again())).isEqualTo(added);
		assertThat(apply(this.one, expiry.again())).isEqualTo(expiring);
		assertThat(read(this.one)).isEqualTo(Value.ABSENT);
		Value next = apply(this.one, update(this.one, new ValueChange.Add(1, NO_MIN))).after();
		assertThat(apply(this.two, addition.again())).isEqualTo(added);
		assertThat(apply(this.one, expiry).applied()).as("late").isFalse();
		assertThat(read(this.two)).isEqualTo(next);
	}

	@Test
	void repetitionDoesNotExtendTheTimeToLive() {
		requireExpiry();
		set(this.one, 1);
		ValueUpdate expiry = update(this.one, new ValueChange.Expire(500));
		ValueUpdateResult first = apply(this.one, expiry);
		await().pollInterval(Duration.ofMillis(20)).until(() -> {
			assertThat(apply(this.one, expiry.again())).isEqualTo(first);
			return !read(this.two).exists();
		});
	}

	private void requireExpiry() {
		assumeTrue(values(this.one).expiresValues(),
				() -> "Backend " + this.one.name() + " has no time to live of values");
	}

	private void awaitExpiry(BackendProcess process) {
		await().until(() -> !read(process).exists());
	}

	private ValueUpdateResult expire(BackendProcess process, Duration timeToLive) {
		return change(process, new ValueChange.Expire(timeToLive.toMillis()));
	}

	@Test
	void valuesAndLeasesOfAKeyAreIndependent() {
		LeaseRequest lease = this.one.acquire(this.key);
		set(this.two, 42);
		assertThat(this.two.acquires(this.two.request(this.key))).isFalse();
		assertThat(this.one.release(lease)).isTrue();
		assertThat(read(this.one).number()).isEqualTo(42);
		delete(this.one, ValueChange.ANY_VERSION);
		assertThat(this.two.acquires(this.two.request(this.key))).isTrue();
	}

	@Test
	void watcherIsNotifiedOfEveryKindOfChange() {
		requireNotifications();
		watch(this.two);
		assertNotified(this.two, () -> add(this.one, 1));
		assertNotified(this.two, () -> set(this.one, 2));
		assertNotified(this.two, () -> change(this.one, new ValueChange.Replace(3, 2)));
		assertNotified(this.two, () -> delete(this.one, ValueChange.ANY_VERSION));
		assertNotified(this.two, () -> set(this.one, 4));
	}

	@Test
	void watcherIsNotifiedOfTheCreationOfAValue() {
		requireNotifications();
		assertThat(watch(this.two)).isEqualTo(Value.ABSENT);
		assertNotified(this.two, () -> add(this.one, 1));
	}

	@Test
	void watcherIsNotifiedOfItsOwnProcess() {
		requireNotifications();
		watch(this.one);
		assertNotified(this.one, () -> add(this.one, 1));
	}

	@Test
	void allWatchersAreNotified() {
		requireNotifications();
		set(this.one, 1);
		BackendProcess three = startProcess();
		watch(this.one);
		watch(this.two);
		watch(three);
		add(this.one, 1);
		for (BackendProcess process : List.of(this.one, this.two, three)) {
			await().until(() -> process.notifications().changesOf(this.key) > 0);
		}
	}

	@Test
	void watchCanBeEndedAndBegunAgain() {
		requireNotifications();
		watch(this.two);
		values(this.two).unwatch(this.key);
		values(this.two).unwatch(this.key);
		add(this.one, 1);
		watch(this.two);
		assertNotified(this.two, () -> add(this.one, 1));
	}

	@Test
	void watcherThatIsClosedHarmsNoOther() {
		requireNotifications();
		watch(this.one);
		watch(this.two);
		this.two.close();
		assertNotified(this.one, () -> add(this.one, 1));
	}

	@Test
	void everyCallFailsWhenTheStoreIsAway() {
		LockBackend away = this.contract.unreachableBackend();
		assumeTrue(away != null, () -> "Backend " + this.one.name() + " has no store that could be away");
		try (away) {
			away.start(new RecordingListener());
			ValueBackend values = away.values().orElseThrow();
			Duration timeout = Duration.ofMillis(500);
			assertThatExceptionOfType(BackendException.class)
				.isThrownBy(() -> values.read(List.of(this.key), false, timeout));
			assertThatExceptionOfType(BackendException.class)
				.isThrownBy(() -> values.read(List.of(this.key), true, timeout));
			assertThatExceptionOfType(BackendException.class)
				.isThrownBy(() -> values.update(update(this.one, new ValueChange.Add(1, 0)), timeout));
		}
	}

	private void requireNotifications() {
		assumeTrue(values(this.one).notifiesOfChanges(),
				() -> "Backend " + this.one.name() + " does not notify of changes");
	}

	private Value watch(BackendProcess process) {
		return values(process).read(List.of(this.key), true, TIMEOUT).getOrDefault(this.key, Value.ABSENT);
	}

	/**
	 * Asserts that a change is notified, if the watch is renewed after the notification
	 * as a process would do it.
	 */
	private void assertNotified(BackendProcess watcher, Runnable change) {
		int before = watcher.notifications().changesOf(this.key);
		change.run();
		await().until(() -> watcher.notifications().changesOf(this.key) > before);
		watch(watcher);
	}

	private ValueUpdateResult add(BackendProcess process, long delta) {
		return change(process, new ValueChange.Add(delta, NO_MIN));
	}

	private ValueUpdateResult set(BackendProcess process, long number) {
		return change(process, new ValueChange.Set(number, ValueChange.ANY_VERSION));
	}

	private ValueUpdateResult delete(BackendProcess process, long expectedVersion) {
		return change(process, new ValueChange.Delete(expectedVersion));
	}

	private ValueUpdateResult change(BackendProcess process, ValueChange change) {
		return apply(process, update(process, change));
	}

	private ValueUpdate update(BackendProcess process, ValueChange change) {
		return new ValueUpdate(this.key, change, nextId(process));
	}

	private OwnerId nextId(BackendProcess process) {
		return new OwnerId(process.request(this.key).owner().instance(), this.sequence.incrementAndGet());
	}

	private ValueUpdateResult apply(BackendProcess process, ValueUpdate update) {
		return values(process).update(update, TIMEOUT);
	}

	private Value read(BackendProcess process) {
		return values(process).read(List.of(this.key), false, TIMEOUT).getOrDefault(this.key, Value.ABSENT);
	}

	private static ValueBackend values(BackendProcess process) {
		return process.backend().values().orElseThrow();
	}

}
