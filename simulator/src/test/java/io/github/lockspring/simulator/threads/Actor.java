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

package io.github.lockspring.simulator.threads;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.simulator.machine.Replaced;
import io.github.lockspring.simulator.threads.Trial.Speed;
import io.github.lockspring.simulator.threads.UnreliableBackend.StoreError;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * Thread that makes an operation.
 */
final class Actor {

	static final String KEY = "key";

	static final String VALUE = "value";

	private static final long[] PAUSES = { 0, 0, 0, 1, 2, 5, 10 };

	final Trial trial;

	final SplittableRandom random;

	private final String name;

	private boolean done;

	Actor(Trial trial, String name) {
		this.trial = trial;
		this.name = name;
		this.random = trial.scheduler.random().split();
	}

	LockEngine engine() {
		return this.trial.engine();
	}

	boolean isDone() {
		return this.done;
	}

	void run(Operation operation) {
		attempt(() -> {
			sleep(pause());
			operation.run(this);
			return null;
		});
		this.done = true;
	}

	/**
	 * Make a call that may fail as expected.
	 * @return {@code null} if it has failed
	 */
	<T> @Nullable T attempt(Callable<@Nullable T> call) {
		try {
			return call.call();
		}
		catch (EngineException ex) {
			if (!this.trial.isExpected(ex)) {
				throw new AssertionError(this.name + " failed", ex);
			}
			return null;
		}
		catch (StoreError ex) {
			return null;
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new AssertionError(this.name + " failed", ex);
		}
	}

	/**
	 * Choose a time of a few that are likely to coincide.
	 * @return milliseconds
	 */
	long pause() {
		return PAUSES[this.random.nextInt(PAUSES.length)];
	}

	void sleep(long millis) {
		boolean interrupted = false;
		long end = Replaced.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		for (long left = end - Replaced.nanoTime(); left > 0; left = end - Replaced.nanoTime()) {
			interrupted |= Thread.interrupted();
			Replaced.parkNanos(this, left);
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Start another thread of this actor.
	 */
	Thread start(Runnable task) {
		return this.trial.process.node().start(this.name + "-child", task);
	}

	void join(Thread thread) {
		try {
			Replaced.join(thread);
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	/**
	 * Run a task in another thread, which is interrupted after a while, and check that it
	 * keeps the interrupt.
	 * @param before runs before the interrupt
	 */
	void interrupt(Runnable before, Runnable task) {
		AtomicReference<@Nullable Boolean> kept = new AtomicReference<>();
		Thread waiting = start(() -> {
			task.run();
			kept.set(Thread.interrupted());
		});
		sleep(pause());
		before.run();
		boolean early = kept.get() == null;
		Replaced.interrupt(waiting);
		join(waiting);
		Trial.check(!early || Boolean.TRUE.equals(kept.get()), () -> this.name + " lost an interrupt");
	}

	AcquireOptions exclusive() {
		AcquireOptions options = this.random.nextBoolean() ? AcquireOptions.exclusive(this.trial.leaseTime, true)
				: AcquireOptions.fair(this.trial.leaseTime, true);
		return this.random.nextBoolean() ? options : options.withRetain(Duration.ofMillis(this.random.nextInt(1, 50)));
	}

	AcquireOptions shared() {
		return AcquireOptions.shared(this.trial.leaseTime, true);
	}

	/**
	 * Acquire a key, which must not take longer than allowed, nor be in vain.
	 * @param waitMillis how long to wait
	 * @param call acquires it
	 * @return the result, or {@code null} if it was not acquired
	 */
	<T> @Nullable T waitFor(String key, long waitMillis, Callable<@Nullable T> call) {
		long since = this.trial.scheduler.now();
		T result = attempt(() -> {
			T answer = call.call();
			if (key.equals(KEY) && (answer == null || Boolean.FALSE.equals(answer))) {
				this.trial.checkDenied(key, since);
			}
			return answer;
		});
		this.trial.record(this.name + " waited " + waitMillis + " ms since " + since + " ns, result " + result);
		long waited = this.trial.scheduler.now() - since;
		long late = waited - TimeUnit.MILLISECONDS.toNanos(waitMillis);
		if (!this.trial.has((operation) -> operation.stalls() || operation.closes())) {
			long allowed = (this.trial.speed != Speed.IMMEDIATE) ? 2 * Trial.OPERATION_TIMEOUT.toNanos() : 0;
			Trial.check(late <= allowed, () -> this.name + " was late by " + late + " ns");
			if (key.equals(KEY)) {
				this.trial.checkPrompt(key, since);
			}
		}
		return result;
	}

	@Nullable Hold acquire(AcquireOptions options, long waitMillis) {
		return waitFor(KEY, waitMillis,
				() -> engine().acquire(KEY, options, TimeUnit.MILLISECONDS.toNanos(waitMillis)));
	}

	/**
	 * Hold a key for a while, and release it.
	 */
	void use(@Nullable Hold hold, int weight) {
		if (hold != null) {
			Claim claim = begin(hold, weight);
			sleep(pause());
			end(claim);
		}
	}

	/**
	 * Hold a key that nobody else uses for longer than its lease time, which must be
	 * possible while the engine is open.
	 */
	void useOther() {
		AcquireOptions options = AcquireOptions.exclusive(Duration.ofMillis(300), true);
		Hold hold = attempt(() -> engine().acquire("unused", options, 0));
		sleep(500);
		Trial.check(hold != null && hold.isHeld(), "An engine that is open does not work");
		hold.release();
	}

	Claim begin(Hold hold, int weight) {
		Claim claim = Claim.of(this, weight, hold);
		this.trial.begin(claim);
		Replaced.point();
		return claim;
	}

	/**
	 * Release what is claimed.
	 */
	void end(Claim claim) {
		this.trial.end(claim);
		Hold hold = claim.hold;
		Boolean held = attempt(() -> this.random.nextBoolean() ? hold.release(claim)
				: Operation.joined(hold.releaseAsync(claim).toCompletableFuture()));
		claim.lost = (held != null) ? !held : null;
		Trial.check(!Boolean.TRUE.equals(claim.lost) || this.trial.mayLose(), () -> claim + " was lost");
		this.trial.busy(claim.key);
	}

	void add() {
		this.trial.adding();
		ValueUpdateResult result = attempt(
				() -> engine().values().update(VALUE, new ValueChange.Add(1, Long.MIN_VALUE)));
		if (result != null) {
			Trial.check(result.after().number() - result.before().number() == 1, () -> "Added in vain: " + result);
			this.trial.added();
		}
	}

	/**
	 * Check the value and delete it.
	 */
	void deleteValue() {
		Value value = engine().values().read(VALUE);
		long missing = value.number() - this.trial.sum;
		Trial.check(missing >= 0 && missing <= this.trial.uncertain, () -> "The value is wrong by " + missing);
		engine().values().update(VALUE, new ValueChange.Delete(ValueChange.ANY_VERSION));
	}

	@Override
	public String toString() {
		return this.name;
	}

}
