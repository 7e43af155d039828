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

package io.github.lockspring.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.spi.BackendUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link DueCalls}.
 */
class DueCallsTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final Duration PAUSE = Duration.ofMillis(300);

	private final Harness harness = new Harness();

	private final QueueingExecutor executor = new QueueingExecutor();

	private final EngineContext context = new EngineContext(this.harness.backend(), EngineSettings.defaults(),
			this.harness.time, EngineThreads.of(this.executor));

	private final RecordedWork work = new RecordedWork();

	private final DueCalls<Named> calls = new DueCalls<>(this.context, this::execute, this.work);

	private boolean rejecting;

	private void execute(Runnable call) {
		if (this.rejecting) {
			throw new RejectedExecutionException("a test");
		}
		this.executor.execute(call);
	}

	private Named scheduled(String name, Duration delay) {
		Named item = new Named(name);
		this.calls.schedule(item, this.harness.time.nanoTime() + delay.toNanos());
		return item;
	}

	private List<Named> scheduled(int count) {
		return IntStream.range(0, count).mapToObj((i) -> scheduled(String.valueOf(i), Duration.ZERO)).toList();
	}

	/**
	 * Run the timed task and the call that it starts.
	 */
	private void run() {
		this.calls.run();
		this.executor.runAll();
	}

	private void runAfter(Duration duration) {
		this.harness.time.advance(duration);
		run();
	}

	@Test
	void callIsMadeWhenTheFirstItemIsDueAndForThoseThatAreDueSoon() {
		scheduled("first", SECOND);
		scheduled("soon", SECOND.multipliedBy(2));
		scheduled("later", SECOND.multipliedBy(2).plusNanos(1));
		runAfter(SECOND.minusNanos(1));
		assertThat(this.work.calls).isEmpty();
		runAfter(Duration.ofNanos(1));
		assertThat(this.work.calls).containsExactly(List.of("first", "soon"));
	}

	@Test
	void itemsThatAreDueTogetherAreCalledInTheOrderInWhichTheyWereAdded() {
		scheduled("b", Duration.ZERO);
		scheduled("a", Duration.ZERO);
		run();
		assertThat(this.work.calls).containsExactly(List.of("b", "a"));
	}

	@Test
	void callThatSucceedsIsTheLastOne() {
		scheduled("a", Duration.ZERO);
		run();
		runAfter(TIMEOUT);
		assertThat(this.work.calls).hasSize(1);
	}

	@Test
	void itemIsCalledAtTheEarliestOfTheRequestedTimes() {
		Named item = scheduled("a", SECOND.multipliedBy(9));
		this.calls.schedule(item, this.harness.time.nanoTime() + SECOND.toNanos());
		this.calls.schedule(item, this.harness.time.nanoTime() + TIMEOUT.toNanos());
		runAfter(SECOND);
		runAfter(TIMEOUT.multipliedBy(2));
		assertThat(this.work.calls).containsExactly(List.of("a"));
	}

	@Test
	void oneCallIsMadeAtATime() {
		scheduled("a", Duration.ZERO);
		this.calls.run();
		scheduled("b", Duration.ZERO);
		this.calls.run();
		this.executor.runAll();
		assertThat(this.work.calls).containsExactly(List.of("a"));
		run();
		assertThat(this.work.calls).containsExactly(List.of("a"), List.of("b"));
	}

	@Test
	void itemThatIsScheduledWhileItIsCalledIsCalledOnceMore() {
		Named item = scheduled("a", Duration.ZERO);
		this.work.during = () -> {
			this.calls.repeat(item, this.harness.time.nanoTime() + TIMEOUT.toNanos());
			this.calls.schedule(item, this.harness.time.nanoTime());
			this.calls.schedule(item, this.harness.time.nanoTime() + SECOND.toNanos());
		};
		run();
		this.work.during = null;
		run();
		runAfter(TIMEOUT);
		assertThat(this.work.calls).containsExactly(List.of("a"), List.of("a"));
	}

	@Test
	void itemThatIsRepeatedIsCalledWhenItIsDue() {
		Named item = scheduled("a", Duration.ZERO);
		this.work.during = () -> this.calls.repeat(item, this.harness.time.nanoTime() + TIMEOUT.toNanos());
		run();
		this.work.during = null;
		runAfter(TIMEOUT.minusNanos(1));
		assertThat(this.work.calls).hasSize(1);
		runAfter(Duration.ofNanos(1));
		assertThat(this.work.calls).hasSize(2);
	}

	@Test
	void itemThatIsRemovedWhileItIsCalledIsNotRepeated() {
		Named item = scheduled("a", Duration.ZERO);
		this.work.during = () -> {
			this.calls.remove(item);
			this.calls.repeat(item, this.harness.time.nanoTime());
			throw new BackendUnavailableException("a test", null);
		};
		run();
		runAfter(TIMEOUT);
		assertThat(this.work.calls).hasSize(1);
	}

	@Test
	void itemThatIsRemovedIsNotCalledUntilItIsScheduledAgain() {
		Named item = scheduled("a", Duration.ZERO);
		this.calls.remove(item);
		run();
		assertThat(this.work.calls).isEmpty();
		this.calls.schedule(item, this.harness.time.nanoTime());
		run();
		assertThat(this.work.calls).hasSize(1);
	}

	@Test
	void callThatFailsIsRepeatedForHalfAsManyUntilTheyAreDoubledAgain() {
		scheduled(8);
		this.work.failures = 3;
		for (int i = 0; i < 10; i++) {
			runAfter(PAUSE);
		}
		assertThat(this.work.calls.stream().map(List::size)).startsWith(8, 4, 2, 1);
		assertThat(this.work.names()).hasSize(8);
		List<Named> more = scheduled(8);
		run();
		assertThat(this.work.calls.get(this.work.calls.size() - 1)).hasSize(more.size());
	}

	@Test
	void itemForWhichACallFailsDoesNotKeepTheOthersFromBeingCalled() {
		scheduled(50);
		this.work.unlucky = "17";
		for (int i = 0; i < 50; i++) {
			runAfter(PAUSE);
		}
		assertThat(this.work.names()).hasSize(49).doesNotContain("17");
		this.work.unlucky = null;
		runAfter(PAUSE);
		assertThat(this.work.names()).hasSize(50);
	}

	@Test
	void unexpectedErrorIsAFailure() {
		scheduled("a", Duration.ZERO);
		this.work.during = () -> {
			throw new StackOverflowError("a test");
		};
		run();
		this.work.during = null;
		runAfter(PAUSE.minusNanos(1));
		assertThat(this.work.calls).hasSize(1);
		runAfter(Duration.ofNanos(1));
		assertThat(this.work.calls).hasSize(2);
	}

	@Test
	void callThatIsRejectedIsUndoneAndRepeatedForAsMany() {
		scheduled(8);
		this.rejecting = true;
		assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(this.calls::run);
		this.rejecting = false;
		run();
		assertThat(this.work.calls).isEmpty();
		runAfter(PAUSE);
		assertThat(this.work.calls).hasSize(1).allMatch((call) -> call.size() == 8);
	}

	@Test
	void itemsAreLateWhileACallHangs() {
		Named called = scheduled("called", Duration.ZERO);
		this.calls.run();
		scheduled("due", SECOND);
		scheduled("undue", TIMEOUT.plus(SECOND));
		this.harness.time.advance(TIMEOUT.minusNanos(1));
		this.calls.run();
		assertThat(this.work.late).isEmpty();
		this.harness.time.advance(Duration.ofNanos(1));
		this.calls.run();
		assertThat(this.work.late).containsExactlyInAnyOrder("called", "due");
		this.harness.time.advance(SECOND);
		this.calls.run();
		assertThat(this.work.late).containsExactlyInAnyOrder("called", "due", "undue");
		this.work.during = () -> this.calls.repeat(called, this.harness.time.nanoTime());
		this.executor.runAll();
		run();
		assertThat(this.work.calls).containsExactly(List.of("called"));
	}

	@Test
	void callWhoseItemsCannotBeRankedAtItsEndIsRepeated() {
		List<Named> items = scheduled(3);
		this.work.failures = 1;
		this.work.during = () -> items.get(1).unranked = true;
		assertThatIllegalStateException().isThrownBy(this::run);
		this.work.during = null;
		runAfter(PAUSE);
		runAfter(PAUSE);
		runAfter(PAUSE);
		assertThat(this.work.names()).containsExactlyInAnyOrder("0", "1", "2");
		assertThat(this.calls.isCalling()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void callAfterWhichTheSizeOfTheNextOneIsUnknownIsEnded(boolean failed) {
		scheduled("a", Duration.ZERO);
		this.work.failures = failed ? 1 : 0;
		this.work.during = () -> this.work.sizeUnknown = true;
		assertThatIllegalStateException().isThrownBy(this::run);
		this.work.during = null;
		scheduled("b", Duration.ZERO);
		run();
		runAfter(PAUSE);
		assertThat(this.work.names()).containsExactlyInAnyOrder("a", "b");
		assertThat(this.calls.isCalling()).isFalse();
	}

	@Test
	void itemsOfLowerRankAreCalledFirst() {
		scheduled("suspect", Duration.ZERO).rank = 1;
		scheduled("late", SECOND);
		this.work.limit = 1;
		runAfter(SECOND);
		run();
		assertThat(this.work.calls).containsExactly(List.of("late"), List.of("suspect"));
	}

	@Test
	void largeItemIsCalledByItselfAndThoseThatFitBeforeIt() {
		this.work.limit = 3;
		scheduled("a", Duration.ZERO);
		scheduled("large", Duration.ZERO).size = 4;
		scheduled("b", Duration.ZERO);
		scheduled("c", Duration.ZERO);
		scheduled("d", Duration.ZERO);
		for (int i = 0; i < 3; i++) {
			run();
		}
		assertThat(this.work.calls).containsExactly(List.of("a", "b", "c"), List.of("large"), List.of("d"));
	}

	@Test
	void callIsDelayedUntilTheFirstItemIsReady() {
		this.work.delay = TIMEOUT;
		scheduled("a", Duration.ZERO);
		runAfter(TIMEOUT.minusNanos(1));
		assertThat(this.work.calls).isEmpty();
		runAfter(Duration.ofNanos(1));
		assertThat(this.work.calls).hasSize(1);
	}

	@Test
	void waitingItemsCanBeRemovedAndScheduledAnew() {
		scheduled("called", Duration.ZERO);
		this.calls.run();
		Named first = scheduled("first", TIMEOUT);
		Named second = scheduled("second", SECOND);
		assertThat(this.calls.first()).isSameAs(second);
		assertThat(this.calls.size()).isEqualTo(2);
		assertThat(this.calls.removeWaiting()).containsExactly(second, first);
		assertThat(this.calls.first()).isNull();
		this.executor.runAll();
		runAfter(TIMEOUT);
		assertThat(this.work.calls).containsExactly(List.of("called"));
		this.calls.schedule(first, this.harness.time.nanoTime());
		run();
		assertThat(this.work.calls).containsExactly(List.of("called"), List.of("first"));
	}

	@Test
	void callIsInProgressUntilItEnds() {
		scheduled("a", Duration.ZERO);
		assertThat(this.calls.isCalling()).isFalse();
		this.calls.run();
		assertThat(this.calls.isCalling()).isTrue();
		this.executor.runAll();
		assertThat(this.calls.isCalling()).isFalse();
	}

	@Test
	void runCanBeRequestedOfALargerTask() {
		List<Long> requests = new ArrayList<>();
		DueCalls<Named> part = new DueCalls<>(this.context, this::execute, this.work, requests::add);
		part.schedule(new Named("a"), 42);
		assertThat(requests).containsExactly(42L);
	}

	@Test
	void runIsRequestedForWhatIsNext() {
		this.context.startTasks();
		this.context.threads().start();
		scheduled("a", SECOND);
		assertThat(this.context.nanosToNextTask()).isEqualTo(SECOND.toNanos());
		this.context.stopTasks();
	}

	/**
	 * Work that is recorded.
	 */
	private static final class RecordedWork implements DueCalls.Work<Named> {

		private final List<List<String>> calls = new ArrayList<>();

		private final Set<String> done = new HashSet<>();

		private final List<String> late = new ArrayList<>();

		private int failures;

		private int limit = Integer.MAX_VALUE;

		private Duration delay = Duration.ZERO;

		private String unlucky;

		private boolean sizeUnknown;

		private Runnable during;

		private Set<String> names() {
			return this.done;
		}

		@Override
		public void call(List<Named> items) {
			List<String> names = items.stream().map((item) -> item.name).toList();
			this.calls.add(names);
			if (this.during != null) {
				this.during.run();
			}
			if (this.failures-- > 0 || (this.unlucky != null && names.contains(this.unlucky))) {
				throw new BackendUnavailableException("a test", null);
			}
			this.done.addAll(names);
		}

		@Override
		public void onLate(List<Named> items) {
			items.forEach((item) -> this.late.add(item.name));
		}

		@Override
		public long soonNanos(Named item) {
			return SECOND.toNanos();
		}

		@Override
		public long readyAt(Named first) {
			return first.dueNanos() + this.delay.toNanos();
		}

		@Override
		public int limit(Named item, int batchSize) {
			return Math.min(batchSize, this.limit);
		}

		@Override
		public long timeoutNanos() {
			return TIMEOUT.toNanos();
		}

		@Override
		public long pauseAfterFailure() {
			return PAUSE.toNanos();
		}

		@Override
		public int nextBatchSize(boolean failed, int batchSize, int called) {
			if (this.sizeUnknown) {
				this.sizeUnknown = false;
				throw new IllegalStateException("a test");
			}
			return DueCalls.Work.super.nextBatchSize(failed, batchSize, called);
		}

	}

	/**
	 * Item with a name.
	 */
	private static final class Named extends DueCalls.Item {

		private final String name;

		private int rank;

		private boolean unranked;

		private int size = 1;

		Named(String name) {
			this.name = name;
		}

		@Override
		int rank() {
			if (this.unranked) {
				this.unranked = false;
				throw new IllegalStateException("a test");
			}
			return this.rank;
		}

		@Override
		int size() {
			return this.size;
		}

	}

}
