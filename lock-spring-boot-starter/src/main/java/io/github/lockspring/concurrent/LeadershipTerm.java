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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockLostException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LossReaction;

/**
 * Time for which this process has the lease of an election: until the lease is lost, or
 * until it has been relinquished and released.
 */
final class LeadershipTerm {

	/**
	 * How long listeners may delay the release of the lease.
	 */
	static final Duration LISTENER_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration CHECK_INTERVAL = Duration.ofMillis(50);

	private final Hold hold;

	private final LockEngine engine;

	private final Runnable update;

	private volatile boolean relinquished;

	/**
	 * Confined to updates.
	 */
	private boolean releasing;

	private volatile boolean released;

	private volatile boolean checking;

	/**
	 * Begin a term.
	 * @param hold the hold of the lease
	 * @param engine the engine
	 * @param update requests an update of the election
	 */
	LeadershipTerm(Hold hold, LockEngine engine, Runnable update) {
		this.hold = hold;
		this.engine = engine;
		this.update = update;
		hold.onLost((LossReaction) update::run);
	}

	long token() {
		return this.hold.token();
	}

	/**
	 * Return whether the lease is held, and has not been relinquished.
	 */
	boolean isHeld() {
		return !this.relinquished && this.hold.isHeld();
	}

	/**
	 * Relinquish the leadership, without an update.
	 */
	void relinquish() {
		this.relinquished = true;
	}

	/**
	 * Run code as long as this term lasts.
	 * @throws LockLostException if it was lost meanwhile
	 */
	<T extends @Nullable Object, E extends Throwable> T call(LeadershipCallback<T, E> callback) throws E {
		T result;
		try {
			result = callback.doAsLeader(token());
		}
		catch (Throwable ex) {
			if (isLost()) {
				ex.addSuppressed(new LockLostException(this.hold.key()));
			}
			throw ex;
		}
		if (isLost()) {
			throw new LockLostException(this.hold.key());
		}
		return result;
	}

	private boolean isLost() {
		return !this.relinquished && !this.hold.hasLease();
	}

	/**
	 * Release the lease if it has been relinquished. Confined to updates.
	 * @param delivered completed when the listeners have been notified of that
	 * @return whether this term is over
	 */
	boolean isOver(CompletableFuture<?> delivered) {
		if (!this.releasing && !this.hold.hasLease()) {
			this.hold.releaseAsync();
			return true;
		}
		if (!this.relinquished) {
			checkUnlessHeld();
		}
		else if (!this.releasing) {
			release(delivered);
		}
		return this.released;
	}

	private void checkUnlessHeld() {
		if (!this.hold.isHeld() && !this.checking) {
			this.checking = true;
			this.engine.runAfter(CHECK_INTERVAL, () -> {
				this.checking = false;
				this.update.run();
			});
		}
	}

	private void release(CompletableFuture<?> delivered) {
		this.releasing = true;
		delivered.copy()
			.completeOnTimeout(null, LISTENER_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
			.thenCompose((notified) -> this.hold.releaseAsync())
			.whenComplete((success, failure) -> {
				this.released = true;
				this.update.run();
			});
	}

}
