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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.junit.jupiter.api.BeforeAll;
import org.slf4j.LoggerFactory;

import io.github.lockspring.spi.LeaseRequest;

/**
 * What model checks of the engine have in common: a few threads in very many orders of
 * their steps.
 */
abstract class EngineModel {

	private static final int SCALE = Integer.getInteger("lock.test.scale", 1);

	/**
	 * How many orders a check explores: thirty times as many with {@code -Ptorture}.
	 */
	static final int ORDERS = (SCALE > 1) ? 300 * SCALE : 100;

	/**
	 * Has the classes prepared for the checker, which does so when they are first used:
	 * that takes long enough on a slow machine for a check to count as hung. They are
	 * initialized before, as an initializer that is broken off spoils its class for all
	 * checks. The logging of losses would be explored as well, and is much larger than
	 * the loss itself.
	 */
	@BeforeAll
	static void prepareClasses() {
		((Logger) LoggerFactory.getLogger("io.github.lockspring")).setLevel(Level.OFF);
		useAllClasses();
		try {
			Lincheck.runConcurrentTest(1, EngineModel::useAllClasses);
		}
		catch (LincheckAssertionError ex) {
			LoggerFactory.getLogger(EngineModel.class).info("Slow: {}", ex.getMessage());
		}
	}

	private static void useAllClasses() {
		Process process = new Process();
		process.contendedHold().release();
		process.acquireAndReleaseAsync();
		process.start("a", process::acquireAndRelease);
		process.finish();
	}

	static void require(boolean condition, String what) {
		if (!condition) {
			throw new AssertionError(what);
		}
	}

	/**
	 * An engine on a store of its own, and the threads that use it.
	 */
	static final class Process {

		final AcquireOptions options = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

		final AcquireOptions shared = AcquireOptions.shared(Duration.ofSeconds(30), true);

		final AcquireOptions permit = AcquireOptions.permits(1, 3, Duration.ofSeconds(30), true);

		final AtomicInteger losses = new AtomicInteger();

		final ModelTime time = new ModelTime();

		final ModelBackend backend = new ModelBackend();

		final LockEngine engine;

		private final List<Thread> threads = new ArrayList<>();

		final List<Hold> holds = new ArrayList<>();

		private final AtomicInteger permitsInUse = new AtomicInteger();

		private final LeaseRequest elsewhere = new LeaseRequest("k", this.permit.leaseTerms(false), "elsewhere", 1);

		private final Set<Long> tokensOfPermits = new HashSet<>();

		private int inside;

		int entered;

		long lastToken;

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
		 * A hold whose lease can be handed off.
		 */
		Hold contendedHold() {
			Hold lost = this.engine.acquireUninterruptibly("k", this.options, new Object(), 0);
			this.time.advanceWithReadings();
			require(this.engine.acquireUninterruptibly("k", this.options, new Object(), 1) == null, "held twice");
			this.time.standStill();
			this.backend.release(lost.lease().request(), Duration.ZERO);
			this.backend.listener().onLost(lost.lease().request());
			this.losses.set(0);
			Hold hold = this.engine.acquireUninterruptibly("k", this.options, new Object(), 0);
			lost.release();
			this.lastToken = hold.token();
			this.holds.add(hold);
			return hold;
		}

		/**
		 * Holds of two permits, which can be handed off, while another process has the
		 * third.
		 */
		List<Hold> contendedPermits() {
			this.backend.tryAcquire(this.elsewhere, Duration.ZERO);
			Hold one = this.engine.acquireUninterruptibly("k", this.permit, new Object(), 0);
			Hold other = this.engine.acquireUninterruptibly("k", this.permit, new Object(), 0);
			List<CompletableFuture<Hold>> waiters = List.of(acquirePermit(), acquirePermit());
			waiters.forEach((waiter) -> require(waiter.cancel(false), "three permits"));
			List<Hold> contended = new ArrayList<>();
			for (Hold former : List.of(one, other)) {
				require(former.release(), "lost");
				Hold hold = this.engine.acquireUninterruptibly("k", this.permit, new Object(), 0);
				use(hold);
				contended.add(hold);
			}
			return contended;
		}

		CompletableFuture<Hold> acquirePermit() {
			return this.engine.acquireAsync("k", this.permit, new Object(), 1);
		}

		void acquireAndReleasePermit() {
			this.time.advanceWithReadings();
			Hold hold = this.engine.acquireUninterruptibly("k", this.permit, new Object(), 1);
			if (hold != null) {
				use(hold);
				require(endPermit(hold), "lost");
			}
		}

		void leaveOrRelease(CompletableFuture<Hold> acquisition) {
			if (!acquisition.cancel(false)) {
				Hold hold = acquisition.join();
				use(hold);
				require(endPermit(hold), "lost");
			}
		}

		void leaveOrEnd(CompletableFuture<Hold> acquisition) {
			if (!acquisition.cancel(false)) {
				acquisition.join().release();
			}
		}

		private void use(Hold hold) {
			require(this.permitsInUse.incrementAndGet() <= 2, "three inside");
			require(this.backend.isHeldBy(hold.lease().request()), "not held in the store");
			synchronized (this.tokensOfPermits) {
				require(this.tokensOfPermits.add(hold.token()), "token used twice");
			}
		}

		boolean endPermit(Hold hold) {
			this.permitsInUse.decrementAndGet();
			return hold.release();
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
			this.engine.acquireAsync("k", this.options, new Object(), 1).thenAccept((hold) -> {
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

		void shareAndRelease() {
			Hold hold = this.engine.acquireUninterruptibly("k", this.shared, new Object(), 1);
			if (hold != null) {
				require(hold.isHeld(), "not held");
				require(this.backend.isHeldBy(hold.lease().request()), "not held in the store");
				require(hold.release(), "lost");
			}
		}

		private Hold acquire() {
			try {
				Hold hold = this.engine.acquire("k", this.options, 1);
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

		void enter(Hold hold) {
			require(++this.inside == 1, "two inside");
			require(hold.token() > this.lastToken, "token does not grow");
			require(this.backend.isHeldBy(hold.lease().request()), "not held in the store");
			this.lastToken = hold.token();
			this.entered++;
			this.inside--;
		}

		void requireFree(LeaseRequest lease) {
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
			this.backend.release(this.elsewhere, Duration.ZERO);
			require(this.engine.size() == 0, "left in the queue");
			require(this.backend.isFree(), "left in the store");
			require(this.losses.get() <= 1, "lost twice");
			this.engine.close();
		}

	}

}
