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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Model checks of the engine: a few threads in very many orders of their steps.
 */
@Tag("model-check")
class EngineModelTests {

	private static final int ORDERS = 1000;

	/**
	 * Has the classes prepared for the checker, which does so when they are first used:
	 * that takes long enough on a slow machine for a check to count as hung. The logging
	 * of losses would be explored as well, and is much larger than what it tells of.
	 */
	@BeforeAll
	static void prepareClasses() {
		((Logger) LoggerFactory.getLogger("io.github.lockspring")).setLevel(Level.OFF);
		try {
			Lincheck.runConcurrentTest(1, () -> {
				Process process = new Process();
				process.contendedHold().release();
				process.acquireAndReleaseAsync();
				process.start("a", process::acquireAndRelease);
				process.finish();
			});
		}
		catch (LincheckAssertionError ex) {
			LoggerFactory.getLogger(EngineModelTests.class).info("Slow: {}", ex.getMessage());
		}
	}

	@Test
	void waitersGetTheirTurnOneByOne() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			process.start("a", process::acquireAndRelease);
			process.start("b", process::acquireAndRelease);
			process.start("c", process::acquireAndRelease);
			process.finish();
		});
	}

	@Test
	void waiterWhoseTimeIsOverTakesNothingAndLeavesNothing() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			process.start("a", process::acquireAndRelease);
			process.start("b", process::acquireAndRelease);
			process.start("hasty", () -> {
				process.time.beHasty();
				process.acquireAndRelease();
			});
			process.finish();
		});
	}

	@Test
	void interruptedWaiterTakesNothingAndLeavesNothing() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			process.start("a", process::acquireAndRelease);
			Thread interrupted = process.start("b", process::acquireAndRelease);
			process.start("c", process::acquireAndRelease);
			interrupted.interrupt();
			process.finish();
		});
	}

	@Test
	void waiterWithoutThreadGetsItsTurnAmongOthers() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			process.start("a", process::acquireAndRelease);
			process.start("b", process::acquireAndReleaseAsync);
			process.start("c", process::acquireAndReleaseAsync);
			process.finish();
			require(process.entered == 3, "somebody waits for ever");
		});
	}

	@Test
	void cancelledWaiterWithoutThreadTakesNothingAndLeavesNothing() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Hold hold = process.contendedHold();
			CompletableFuture<Hold> future = process.engine.acquireAsync("k", process.terms, new Object(), 1);
			process.start("a", hold::release);
			process.start("b", process::acquireAndRelease);
			process.start("cancelling", () -> {
				if (!future.cancel(false)) {
					require(future.join().release(), "lost");
				}
			});
			process.finish();
		});
	}

	@Test
	void oneOfThoseWhoTryOnceSucceeds() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			for (String name : List.of("a", "b", "c")) {
				process.start(name, () -> {
					Hold hold = process.engine.acquireUninterruptibly("k", process.terms, new Object(), 0);
					if (hold != null) {
						process.enter(hold);
						require(hold.release(), "lost");
					}
				});
			}
			process.finish();
			require(process.lastToken > 0, "nobody succeeded");
		});
	}

	@Test
	void newsOfAGrantThatComeTwiceDoNotReleaseIt() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Hold hold = process.contendedHold();
			LeaseRequest lease = hold.lease().request();
			process.start("a", hold::release);
			process.start("b", process::acquireAndRelease);
			process.start("news", () -> {
				if (!process.backend.listener().granted(lease, new Grant(1, Duration.ofSeconds(30)), 0)) {
					process.backend.release(lease, Duration.ofSeconds(1));
				}
			});
			process.finish();
		});
	}

	@Test
	void leaseThatIsLostIsNotHeldAndLostOnce() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Hold hold = process.contendedHold();
			LeaseRequest lease = hold.lease().request();
			process.start("a", hold::release);
			process.start("b", process::acquireAndReleaseIfNotLost);
			process.start("news", () -> {
				process.backend.release(lease, Duration.ofSeconds(1));
				process.backend.listener().lost(lease);
				process.requireNobodyHolds(lease);
			});
			process.finish();
		});
	}

	@Test
	void holdIsReleasedOrLostAndNotReenteredAfterLoss() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Hold hold = process.contendedHold();
			AtomicInteger releases = new AtomicInteger();
			process.start("owner", () -> {
				if (hold.countUp()) {
					releases.addAndGet(hold.release() ? 1 : 0);
				}
				releases.addAndGet(hold.release() ? 1 : 0);
			});
			process.start("loser", () -> process.backend.listener().lost(hold.lease().request()));
			process.start("other loser", () -> process.backend.listener().lost(hold.lease().request()));
			process.join();
			boolean lost = process.losses.get() == 1;
			require(process.losses.get() <= 1, "lost twice");
			require(hold.state() == Hold.ENDED, "not ended");
			require(lost || process.backend.isFree(), "neither lost nor released");
			require(!lost || releases.get() <= 1, "lost, but the last release succeeded");
			require(process.engine.size() == 0, "left in the queue");
			process.engine.close();
		});
	}

	@Test
	void nobodyComesInBeforeTheMinimumHoldIsOver() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			AcquireTerms terms = process.terms.withMinimumHold(Duration.ofSeconds(10));
			Hold hold = process.engine.acquireUninterruptibly("k", terms, new Object(), 0);
			process.start("holder", () -> require(hold.release(), "lost"));
			for (String name : List.of("b", "c")) {
				process.start(name,
						() -> require(
								process.engine.acquireUninterruptibly("k", process.terms, new Object(), 0) == null,
								"came in"));
			}
			process.join();
			require(process.backend.endRests() == 1, "no rest");
			process.finish();
		});
	}

	@Test
	void ownerThatBeginsToReadWhileItEndsToWriteStepsDownOrAcquiresAnew() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Object owner = new Object();
			Hold writer = process.engine.acquireUninterruptibly("k", process.terms, owner, 0);
			process.start("writer", () -> require(writer.release(), "writer lost"));
			process.start("reader", () -> process.readAndRelease(owner));
			process.start("other reader", () -> process.readAndRelease(owner));
			process.finish();
			require(process.losses.get() == 0, "lost");
		});
	}

	@Test
	void writerAndReaderThatEndAtOnceLeaveNothing() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Object owner = new Object();
			Hold writer = process.engine.acquireUninterruptibly("k", process.terms, owner, 0);
			Hold reader = process.engine.acquireUninterruptibly("k", process.shared, owner, 0);
			process.start("writer", () -> require(writer.release(), "writer lost"));
			process.start("reader", () -> require(reader.release(), "reader lost"));
			process.start("b", () -> {
				Hold hold = process.engine.acquireUninterruptibly("k", process.terms, new Object(), 0);
				require(hold == null || hold.release(), "lost");
			});
			process.finish();
			require(process.losses.get() == 0, "lost");
		});
	}

	@Test
	void readerWhoseLeaseIsLostWhileTheWriterStepsDownIsNotHeld() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Object owner = new Object();
			Hold writer = process.engine.acquireUninterruptibly("k", process.terms, owner, 0);
			Hold reader = process.engine.acquireUninterruptibly("k", process.shared, owner, 0);
			LeaseRequest lease = writer.lease().request();
			process.holds.addAll(List.of(writer, reader));
			process.start("writer", writer::release);
			process.start("reader", reader::release);
			process.start("news", () -> {
				if (process.backend.release(lease, Duration.ofSeconds(1))) {
					process.backend.listener().lost(lease);
					process.requireNobodyHolds(lease);
				}
			});
			process.join();
			require(process.losses.get() <= 2, "lost twice");
			require(process.engine.size() == 0, "left in the queue");
			require(process.backend.isFree(), "left in the store");
			process.engine.close();
		});
	}

	private static void require(boolean condition, String what) {
		if (!condition) {
			throw new AssertionError(what);
		}
	}

	/**
	 * An engine on a store of its own, and the threads that use it.
	 */
	private static final class Process {

		private final AcquireTerms terms = AcquireTerms.exclusive(Duration.ofSeconds(30), true);

		private final AcquireTerms shared = AcquireTerms.shared(Duration.ofSeconds(30), true);

		private final AtomicInteger losses = new AtomicInteger();

		private final ModelTime time = new ModelTime();

		private final ModelBackend backend = new ModelBackend();

		private final LockEngine engine;

		private final List<Thread> threads = new ArrayList<>();

		private final List<Hold> holds = new ArrayList<>();

		private int inside;

		private int entered;

		private long lastToken;

		Process() {
			EngineListener listener = new EngineListener() {

				@Override
				public void lost(String key, long token) {
					Process.this.losses.incrementAndGet();
				}

			};
			this.engine = new LockEngine(this.backend, EngineSettings.defaults(), listener, this.time,
					new DirectExecutor());
		}

		/**
		 * A hold whose lease can be passed on.
		 */
		Hold contendedHold() {
			Hold lost = this.engine.acquireUninterruptibly("k", this.terms, new Object(), 0);
			this.time.beHasty();
			require(this.engine.acquireUninterruptibly("k", this.terms, new Object(), 1) == null, "held twice");
			this.time.bePatient();
			this.backend.release(lost.lease().request(), Duration.ZERO);
			this.backend.listener().lost(lost.lease().request());
			this.losses.set(0);
			Hold hold = this.engine.acquireUninterruptibly("k", this.terms, new Object(), 0);
			lost.release();
			this.lastToken = hold.token();
			this.holds.add(hold);
			return hold;
		}

		Thread start(String name, Runnable action) {
			Thread thread = new Thread(action, name);
			this.threads.add(thread);
			thread.start();
			return thread;
		}

		void acquireAndRelease() {
			Hold hold = acquire();
			if (hold != null) {
				enter(hold);
				require(hold.release(), "lost");
			}
		}

		void acquireAndReleaseAsync() {
			this.engine.acquireAsync("k", this.terms, new Object(), 1).thenAccept((hold) -> {
				enter(hold);
				hold.releaseAsync();
			});
		}

		void acquireAndReleaseIfNotLost() {
			Hold hold = acquire();
			if (hold != null) {
				hold.release();
			}
		}

		void readAndRelease(Object owner) {
			Hold hold = this.engine.acquireUninterruptibly("k", this.shared, owner, 1);
			if (hold != null) {
				require(hold.isHeld(), "not held");
				require(!this.backend.isFree(), "not held in the store");
				require(hold.release(), "lost");
			}
		}

		private Hold acquire() {
			try {
				Hold hold = this.engine.acquire("k", this.terms, 1);
				if (hold != null) {
					synchronized (this.holds) {
						this.holds.add(hold);
					}
				}
				return hold;
			}
			catch (InterruptedException | EngineException ex) {
				return null;
			}
		}

		private void enter(Hold hold) {
			require(++this.inside == 1, "two inside");
			require(hold.token() > this.lastToken, "token does not grow");
			require(this.backend.isHeldBy(hold.lease().request()), "not held in the store");
			this.lastToken = hold.token();
			this.entered++;
			this.inside--;
		}

		void requireNobodyHolds(LeaseRequest lease) {
			synchronized (this.holds) {
				for (Hold hold : this.holds) {
					require(!hold.lease().request().equals(lease) || !hold.isHeld(), "held although lost");
				}
			}
		}

		void join() {
			try {
				for (Thread thread : this.threads) {
					thread.join();
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		void finish() {
			join();
			require(this.engine.size() == 0, "left in the queue");
			require(this.backend.isFree(), "left in the store");
			require(this.losses.get() <= 1, "lost twice");
			this.engine.close();
		}

	}

}
