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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.Torture;
import io.github.lockspring.spi.BackendUnavailableException;

/**
 * Model checks of {@link DueCalls}: whatever the order in which threads schedule and
 * remove items, call them, and fail, no item is forgotten, and one call is made at a
 * time.
 */
class DueCallsModelTests extends EngineModel {

	@Test
	@Torture(alsoIn = { "DueCallsRaceTests", "DueCallsTests" })
	void itemThatIsScheduledDuringACallIsCalledOnceMore() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Calls calls = new Calls();
			Counted item = new Counted();
			calls.want(item);
			run(calls::run, () -> calls.want(item), calls::run);
			calls.finish();
			require(item.served == 2, "forgotten");
		});
	}

	@Test
	void itemIsNotForgottenWhenACallFailsOrIsRejected() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Calls calls = new Calls();
			Counted item = new Counted();
			Counted other = new Counted();
			calls.failures.set(1);
			calls.rejections.set(1);
			run(() -> calls.want(item), () -> calls.want(other), calls::run);
			calls.finish();
			require(item.served == 1 && other.served == 1, "forgotten");
		});
	}

	@Test
	@Torture(alsoIn = { "DueCallsRaceTests", "DueCallsTests" })
	void itemThatIsRemovedIsCalledAgainOnlyIfItIsScheduledAgain() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Calls calls = new Calls();
			Counted item = new Counted();
			Counted removed = new Counted();
			calls.want(item);
			calls.want(removed);
			run(calls::run, () -> {
				calls.calls.remove(removed);
				removed.gone = true;
			}, () -> {
				calls.calls.remove(item);
				calls.want(item);
			});
			calls.finish();
			require(item.served == 2, "forgotten");
		});
	}

	private static void run(Runnable first, Runnable second, Runnable third) {
		List<Thread> threads = new ArrayList<>();
		for (Runnable action : List.of(first, second, third)) {
			Thread thread = new Thread(action);
			threads.add(thread);
			thread.start();
		}
		try {
			for (Thread thread : threads) {
				thread.join();
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Calls in the thread that runs the timed task.
	 */
	private static final class Calls implements DueCalls.Work<Counted> {

		private final AtomicInteger failures = new AtomicInteger();

		private final AtomicInteger rejections = new AtomicInteger();

		private final AtomicBoolean busy = new AtomicBoolean();

		private final EngineContext context = new EngineContext(new ModelBackend(), EngineSettings.defaults(),
				new ModelTime(), EngineThreads.of(new DirectExecutor()));

		private final DueCalls<Counted> calls = new DueCalls<>(this.context, this::execute, this);

		private void execute(Runnable call) {
			require(this.rejections.getAndDecrement() <= 0, "rejected");
			call.run();
		}

		void want(Counted item) {
			item.wanted.incrementAndGet();
			this.calls.schedule(item, 0);
		}

		void run() {
			try {
				this.calls.run();
			}
			catch (AssertionError ex) {
				require("rejected".equals(ex.getMessage()), String.valueOf(ex.getMessage()));
			}
		}

		void finish() {
			for (int i = 0; i < 6; i++) {
				run();
			}
		}

		@Override
		public void call(List<Counted> due) {
			require(this.busy.compareAndSet(false, true), "two calls");
			int[] wanted = due.stream().mapToInt((item) -> item.wanted.get()).toArray();
			boolean failed = this.failures.getAndDecrement() > 0;
			for (int i = 0; i < wanted.length && !failed; i++) {
				due.get(i).served = wanted[i];
			}
			this.busy.set(false);
			if (failed) {
				throw new BackendUnavailableException("a test", null);
			}
		}

		@Override
		public long pauseAfterFailure() {
			return 0;
		}

	}

	/**
	 * Item with a count of the requests for a call.
	 */
	private static final class Counted extends DueCalls.Item {

		private final AtomicInteger wanted = new AtomicInteger();

		private volatile int served;

		private volatile boolean gone;

	}

}
