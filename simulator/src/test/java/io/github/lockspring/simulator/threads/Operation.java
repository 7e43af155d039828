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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.PermitTerms;
import io.github.lockspring.engine.Values;
import io.github.lockspring.simulator.machine.Replaced;
import io.github.lockspring.simulator.threads.UnreliableBackend.StoreError;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.Value;

/**
 * Operations of which each is made by a thread, all of one group on the same key.
 */
enum Operation {

	ACQUIRE(Group.LOCK, (actor) -> actor.use(actor.acquire(actor.exclusive(), 10_000), Claim.ALL)),

	TIMED(Group.LOCK, (actor) -> {
		for (int i = 0; i < 3; i++) {
			actor.use(actor.acquire(actor.exclusive(), actor.pause()), Claim.ALL);
		}
	}),

	UNINTERRUPTIBLY(Group.LOCK, (actor) -> actor.interrupt(() -> {
	}, () -> actor.use(acquireUninterruptibly(actor), Claim.ALL))),

	INTERRUPT(Group.LOCK, (actor) -> {
		AtomicLong interrupted = new AtomicLong(-1);
		actor.interrupt(() -> interrupted.set(actor.trial.scheduler.now()),
				() -> actor.use(acquireUnlessInterrupted(actor, interrupted), Claim.ALL));
	}),

	ASYNC(Group.LOCK, (actor) -> {
		long wait = actor.random.nextBoolean() ? 10_000 : actor.pause();
		Hold hold = actor.waitFor(Actor.KEY, wait, () -> joined(acquireAsync(actor, actor.exclusive(), wait)));
		actor.use(hold, Claim.ALL);
	}),

	ASYNC_CANCEL(Group.LOCK, (actor) -> {
		CompletableFuture<@Nullable Hold> future = acquireAsync(actor, actor.exclusive(), 10_000);
		if (!cancelLater(actor, future)) {
			actor.use(actor.attempt(() -> joined(future)), Claim.ALL);
		}
	}),

	REENTER(Group.LOCK, (actor) -> {
		Hold hold = actor.acquire(actor.exclusive(), 10_000);
		if (hold != null) {
			Claim claim = actor.begin(hold, Claim.ALL);
			Hold again = actor.attempt(() -> actor.engine().acquire(Actor.KEY, actor.exclusive(), 10_000_000_000L));
			if (again != null) {
				Trial.check(again == hold || actor.trial.mayLose(), "Reentered another hold");
				actor.sleep(actor.pause());
				if (again == hold) {
					hold.release("again");
				}
				else {
					actor.use(again, Claim.ALL);
				}
			}
			actor.end(claim);
		}
	}),

	READ(Group.LOCK, (actor) -> {
		actor.use(actor.acquire(actor.shared(), 10_000), 1);
		actor.use(actor.acquire(actor.shared(), actor.pause()), 1);
	}),

	DOWNGRADE(Group.LOCK, (actor) -> {
		Hold writer = actor.acquire(actor.exclusive(), 10_000);
		if (writer != null) {
			Claim writes = actor.begin(writer, Claim.ALL);
			Hold reader = actor.attempt(() -> actor.engine().acquire(Actor.KEY, actor.shared(), 10_000_000_000L));
			Claim reads = (reader != null) ? actor.begin(reader, 1) : null;
			boolean downgrades = actor.random.nextInt(3) != 0;
			if (downgrades) {
				actor.end(writes);
				actor.sleep(actor.pause());
			}
			if (reads != null) {
				Trial.check(reads.isValid() || actor.trial.mayLose(), "Not held after the downgrade");
				actor.end(reads);
			}
			if (!downgrades) {
				actor.end(writes);
			}
		}
	}),

	EXTEND(Group.LOCK, (actor) -> {
		AcquireOptions options = AcquireOptions.exclusive(Duration.ofMillis(100), false);
		Hold hold = actor.acquire(options, 10_000);
		if (hold != null) {
			Claim claim = actor.begin(hold, Claim.ALL);
			actor.sleep(actor.pause());
			boolean shortens = actor.trial.isFailing() && actor.random.nextBoolean();
			AcquireOptions extension = shortens ? AcquireOptions.exclusive(Duration.ofMillis(20), false) : options;
			Boolean extended = actor.attempt(() -> hold.extend(extension));
			Trial.check(!Boolean.FALSE.equals(extended) || actor.trial.mayLose(), "Not extended");
			Trial.check(!shortens || extended != null || hold.remaining().toMillis() <= 20,
					"Kept the longer time though the shorter one may be stored");
			actor.sleep(shortens ? 40 : actor.pause());
			actor.end(claim);
		}
	}),

	OVERSTAY(Group.LOCK, (actor) -> {
		Hold hold = actor.acquire(AcquireOptions.exclusive(Duration.ofMillis(5), false), 10_000);
		actor.use(hold, Claim.ALL);
	}),

	MINIMUM_HOLD(Group.LOCK, (actor) -> {
		Hold hold = actor.acquire(actor.exclusive().withMinimumHold(Duration.ofMillis(5)), 10_000);
		actor.use(hold, Claim.ALL);
	}),

	LOSE(Group.LOCK, (actor) -> {
		actor.sleep(actor.pause());
		actor.trial.endInStore(Actor.KEY);
	}),

	FORCE_RELEASE(Group.LOCK, (actor) -> actor.attempt(() -> {
		actor.sleep(actor.pause());
		for (LeaseHolder holder : actor.engine().inspection().holders(Actor.KEY)) {
			actor.trial.record(actor + " releases for " + holder);
			actor.trial.forceReleasing(holder);
			joined(actor.engine().inspection().forceReleaseAsync(Actor.KEY, holder));
			actor.trial.busy(Actor.KEY);
		}
		return null;
	})),

	TOGETHER(Group.LOCK, (actor) -> {
		List<String> keys = List.of(Actor.KEY, "other");
		long wait = actor.random.nextBoolean() ? 10_000 : actor.pause();
		useAll(actor, actor.attempt(() -> actor.engine()
			.acquireTogether(keys, actor.exclusive(), Thread.currentThread(), TimeUnit.MILLISECONDS.toNanos(wait))));
	}),

	TOGETHER_ASYNC(Group.LOCK, (actor) -> {
		List<String> keys = List.of(Actor.KEY, "other");
		CompletableFuture<@Nullable List<Hold>> future = actor.engine()
			.acquireTogetherAsync(keys, actor.exclusive(), actor, 10_000_000_000L);
		if (actor.random.nextBoolean() && cancelLater(actor, future)) {
			return;
		}
		useAll(actor, actor.attempt(() -> joined(future)));
	}),

	PERMITS(Group.PERMITS, (actor) -> {
		Hold hold = actor.acquire(AcquireOptions.permits(1 + actor.random.nextInt(2), 3, actor.trial.leaseTime, true),
				10_000);
		if (hold != null) {
			usePermits(actor, hold, hold.permits().permits());
		}
	}),

	PERMITS_IN_PARTS(Group.PERMITS, (actor) -> {
		Hold hold = actor.acquire(AcquireOptions.permits(3, 3, actor.trial.leaseTime, true), 10_000);
		if (hold != null) {
			Claim claim = permits(actor, hold, 3);
			actor.sleep(actor.pause());
			actor.trial.end(claim);
			boolean all = Boolean.TRUE.equals(actor.attempt(() -> hold.releasePermits(2)));
			Trial.check(all || actor.trial.mayLose(), "Permits were lost");
			usePermits(actor, hold, all ? 1 : 3);
		}
	}),

	LOSE_PERMITS(Group.PERMITS, LOSE.action),

	SEMAPHORE(Group.SEMAPHORE, (actor) -> {
		for (int i = 0; i < 2; i++) {
			int permits = 1 + actor.random.nextInt(2);
			long wait = (actor.random.nextInt(3) > 0) ? 10_000 : actor.pause();
			PermitTerms terms = new PermitTerms(permits, 2, actor.random.nextBoolean(), actor.trial.leaseTime, true);
			Boolean acquired = actor.waitFor(Actor.KEY, wait,
					() -> actor.trial.ledger().acquire(Actor.KEY, terms, TimeUnit.MILLISECONDS.toNanos(wait)));
			if (Boolean.TRUE.equals(acquired)) {
				useSemaphore(actor, permits);
			}
		}
	}),

	SEMAPHORE_ASYNC(Group.SEMAPHORE, (actor) -> {
		PermitTerms terms = new PermitTerms(1, 2, true, actor.trial.leaseTime, true);
		CompletableFuture<@Nullable Hold> future = actor.trial.ledger().acquireAsync(Actor.KEY, terms, 10_000_000_000L);
		if (actor.random.nextBoolean() && cancelLater(actor, future)) {
			return;
		}
		Hold hold = actor.attempt(() -> joined(future));
		if (hold != null) {
			Claim claim = new Claim(Actor.KEY, actor, 1, 3, hold, hold::isHeld);
			actor.trial.begin(claim);
			actor.sleep(actor.pause());
			actor.end(claim);
		}
	}),

	RESIZE(Group.SEMAPHORE, (actor) -> {
		for (int i = 0; i < 2; i++) {
			int limit = 2 + actor.random.nextInt(2);
			actor.attempt(() -> {
				actor.trial.ledger().setLimit(Actor.KEY, limit);
				return null;
			});
			actor.trial.busy(Actor.KEY);
			actor.sleep(actor.pause());
		}
	}),

	ADD(Group.VALUE, (actor) -> {
		actor.add();
		actor.sleep(actor.pause());
		actor.add();
	}),

	AWAIT(Group.VALUE, (actor) -> {
		Value value = actor.attempt(() -> actor.engine().values().read(Actor.VALUE));
		Thread adding = actor.start(() -> {
			actor.sleep(actor.pause());
			actor.add();
		});
		if (value != null) {
			long number = value.number();
			boolean async = actor.random.nextBoolean();
			Value after = actor.attempt(() -> await(actor, async, number + 1, 10_000));
			Trial.check(after == null || actor.trial.isAddedJustNow(), "Awaited too long");
			Trial.check(after != null || actor.trial.mayLose(), "Awaited in vain");
		}
		actor.join(adding);
	}),

	AWAIT_TIMED(Group.VALUE, (actor) -> {
		long wait = actor.pause();
		boolean async = actor.random.nextBoolean();
		Value value = actor.random.nextBoolean() ? actor.attempt(() -> actor.engine().values().read(Actor.VALUE))
				: null;
		long wanted = (value != null) ? value.number() + 1 : Long.MAX_VALUE;
		actor.waitFor(Actor.VALUE, wait, () -> {
			long deadline = actor.trial.scheduler.now() + TimeUnit.MILLISECONDS.toNanos(wait);
			Value met = await(actor, async, wanted, wait);
			Trial.check(met != null || actor.trial.addedBefore(deadline) < wanted, "Denied what was met before");
			return met;
		});
	}),

	AWAIT_CANCEL(Group.VALUE, (actor) -> {
		CompletableFuture<@Nullable Value> future = actor.engine()
			.values()
			.awaitAsync(Actor.VALUE, (value) -> value.number() > 1, 10_000_000_000L);
		actor.sleep(actor.pause());
		future.cancel(true);
	}),

	LISTEN(Group.VALUE, (actor) -> {
		AtomicLong last = new AtomicLong();
		Values values = actor.engine().values();
		Runnable registration = actor.attempt(() -> values.listen(Actor.VALUE, actor.trial.process.node().executor(),
				(value) -> last.set(value.number())));
		actor.add();
		if (registration != null) {
			Value present = actor.attempt(() -> values.read(Actor.VALUE));
			actor.sleep((actor.trial.speed == Trial.Speed.IMMEDIATE) ? 1 : 2000);
			Trial.check(
					present == null || last.get() >= present.number() || actor.trial.mayLose() || present.number() == 0,
					"The listener was not called");
			registration.run();
		}
	}),

	CLOSE(Group.ANY, (actor) -> {
		actor.sleep(actor.pause());
		shutDown(actor);
	}),

	RESTART(Group.ANY, (actor) -> {
		actor.sleep(actor.pause());
		shutDown(actor);
		actor.sleep(actor.pause());
		actor.engine().start();
	}),

	STALL(Group.ANY, (actor) -> {
		actor.sleep(actor.pause());
		long lease = actor.trial.leaseTime.toNanos();
		long stalled = lease / 2 + actor.random.nextLong(lease);
		actor.trial.scheduler.after(stalled, null, () -> actor.trial.process.node().resume());
		actor.trial.process.node().pause();
		Replaced.parkNanos(actor, 1);
	});

	private final Group group;

	private final Consumer<Actor> action;

	Operation(Group group, Consumer<Actor> action) {
		this.group = group;
		this.action = action;
	}

	void run(Actor actor) {
		this.action.accept(actor);
	}

	Group group() {
		return this.group;
	}

	/**
	 * Return whether this is on the same key as another operation.
	 */
	boolean meets(Operation other) {
		return this.group == other.group || this.group == Group.ANY || other.group == Group.ANY;
	}

	/**
	 * Return whether this is made only once at a time.
	 */
	boolean isOfOperator() {
		return this.group == Group.ANY || this == LOSE || this == LOSE_PERMITS || this == FORCE_RELEASE;
	}

	/**
	 * Return whether leases are lost by this.
	 */
	boolean loses() {
		return this == LOSE || this == LOSE_PERMITS || this == FORCE_RELEASE || this == OVERSTAY || this == STALL;
	}

	boolean closes() {
		return this == CLOSE || this == RESTART;
	}

	/**
	 * Return whether a key may be free although others wait for it.
	 */
	boolean stalls() {
		return this == STALL || this == OVERSTAY || this == MINIMUM_HOLD;
	}

	static <T> @Nullable T joined(CompletableFuture<@Nullable T> future) throws Exception {
		try {
			return Replaced.join(future);
		}
		catch (java.util.concurrent.CompletionException ex) {
			if (ex.getCause() instanceof StoreError error) {
				throw error;
			}
			throw (ex.getCause() instanceof Exception cause) ? cause : ex;
		}
	}

	/**
	 * Cancel an acquisition after a pause.
	 * @return {@code false} if it was granted in the meantime
	 */
	private static boolean cancelLater(Actor actor, CompletableFuture<?> future) {
		actor.trial.unseen++;
		actor.sleep(actor.pause());
		actor.trial.record(actor + " cancels");
		boolean cancelled = future.cancel(true);
		actor.trial.unseen--;
		actor.trial.busy(Actor.KEY);
		return cancelled;
	}

	private static CompletableFuture<@Nullable Hold> acquireAsync(Actor actor, AcquireOptions options, long wait) {
		return actor.engine().acquireAsync(Actor.KEY, options, actor, TimeUnit.MILLISECONDS.toNanos(wait));
	}

	private static @Nullable Hold acquireUninterruptibly(Actor actor) {
		return actor.waitFor(Actor.KEY, 10_000, () -> actor.engine()
			.acquireUninterruptibly(Actor.KEY, actor.exclusive(), Thread.currentThread(), 10_000_000_000L));
	}

	private static @Nullable Hold acquireUnlessInterrupted(Actor actor, AtomicLong interrupted) {
		return actor.attempt(() -> {
			try {
				return actor.engine().acquire(Actor.KEY, actor.exclusive(), 10_000_000_000L);
			}
			catch (InterruptedException ex) {
				long late = actor.trial.scheduler.now() - interrupted.get();
				Trial.check(interrupted.get() >= 0 && (late == 0 || actor.trial.speed != Trial.Speed.IMMEDIATE
						|| actor.trial.has(Operation::stalls)), () -> "Interrupted " + late + " ns too late");
				actor.trial.busy(Actor.KEY);
				Thread.currentThread().interrupt();
				return null;
			}
		});
	}

	/**
	 * Shut down, which must not take much longer than the grace period: none of those who
	 * wait is forgotten.
	 */
	private static void shutDown(Actor actor) {
		long grace = actor.pause();
		long begin = actor.trial.scheduler.now();
		actor.engine().shutdown(Duration.ofMillis(grace));
		long late = actor.trial.scheduler.now() - begin - TimeUnit.MILLISECONDS.toNanos(grace);
		Trial.check(
				late <= 20_000_000 || actor.trial.speed != Trial.Speed.IMMEDIATE
						|| actor.trial.has((operation) -> operation == STALL || operation == RESTART),
				() -> "The shutdown was late by " + late + " ns");
		Trial.check(
				actor.trial.speed != Trial.Speed.IMMEDIATE
						|| actor.trial.has((operation) -> operation.stalls() || operation == RESTART)
						|| actor.trial.store.heldKeys().isEmpty(),
				() -> "Held after the shutdown: " + actor.trial.store.heldKeys());
	}

	private static void useAll(Actor actor, @Nullable List<Hold> holds) {
		actor.trial.record(actor + " acquired " + holds);
		if (holds != null && !holds.isEmpty()) {
			List<Claim> claims = holds.stream().map((hold) -> actor.begin(hold, Claim.ALL)).toList();
			actor.sleep(actor.pause());
			claims.forEach(actor::end);
		}
		actor.trial.busy(Actor.KEY);
	}

	private static Claim permits(Actor actor, Hold hold, int permits) {
		Claim claim = new Claim(Actor.KEY, actor, permits, 3, hold, hold::isHeld);
		actor.trial.begin(claim);
		Replaced.point();
		return claim;
	}

	private static void usePermits(Actor actor, Hold hold, int permits) {
		Claim claim = permits(actor, hold, permits);
		actor.sleep(actor.pause());
		actor.end(claim);
	}

	private static void useSemaphore(Actor actor, int permits) {
		Claim claim = new Claim(Actor.KEY, actor, permits, actor.trial.has(RESIZE::equals) ? 3 : 2, null,
				() -> !actor.trial.mayLose());
		actor.trial.begin(claim);
		actor.sleep(actor.pause());
		actor.trial.end(claim);
		Boolean held = actor.attempt(() -> actor.trial.ledger().release(Actor.KEY, permits));
		Trial.check(!Boolean.FALSE.equals(held) || actor.trial.mayLose(), "Permits were lost");
		actor.trial.busy(Actor.KEY);
	}

	private static @Nullable Value await(Actor actor, boolean async, long number, long wait) throws Exception {
		Values values = actor.engine().values();
		long nanos = TimeUnit.MILLISECONDS.toNanos(wait);
		return async ? joined(values.awaitAsync(Actor.VALUE, (value) -> value.number() >= number, nanos))
				: values.await(Actor.VALUE, (value) -> value.number() >= number, nanos);
	}

	/**
	 * What operations are about.
	 */
	enum Group {

		LOCK, PERMITS, SEMAPHORE, VALUE, ANY

	}

}
