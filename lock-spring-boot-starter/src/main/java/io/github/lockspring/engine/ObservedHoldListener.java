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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.EngineObserver.LockObservation;

/**
 * Listener of an observed hold: notifies the observation of an acquisition, and the
 * engine. Holds that are not observed have the listener of the engine itself, so that
 * they cost nothing more.
 * <p>
 * The engine is always notified first, so that it does not depend on the observation.
 */
final class ObservedHoldListener implements Hold.Listener {

	private static final VarHandle PHASE = Fields.varHandle(MethodHandles.lookup(), "phase", int.class);

	private static final LockObservation[] NONE = {};

	private static final int ACQUIRING = 0;

	private static final int HELD = 1;

	private static final int ENDED = 2;

	private final Hold.Engine engine;

	private final EngineObservers observers;

	private final long startNanos;

	private @Nullable LockObservation observation;

	/**
	 * The observations of further observers.
	 */
	private LockObservation[] others = NONE;

	private long acquiredNanos;

	private @Nullable Hold held;

	private boolean contended;

	private volatile int phase = ACQUIRING;

	/**
	 * Create a listener of holds that are observed once they are acquired.
	 * @param engine the engine of the holds
	 * @param observers the observers
	 */
	ObservedHoldListener(Hold.Engine engine, EngineObservers observers) {
		this.engine = engine;
		this.observers = observers;
		this.startNanos = engine.time().nanoTime();
	}

	/**
	 * Create a listener when an acquisition begins, if any observer is interested.
	 * @param engine the engine of the holds
	 * @param observers the observers, or {@code null} if there are none
	 * @param key the key
	 * @param options the options of the acquisition
	 * @return the listener, or the engine itself
	 */
	static Hold.Listener of(Hold.Engine engine, @Nullable EngineObservers observers, String key,
			AcquireOptions options) {
		ObservedHoldListener listener = (observers != null) ? observed(null, engine, observers, key, options.kind())
				: null;
		return (listener != null) ? listener : engine;
	}

	/**
	 * Begin to observe an acquisition.
	 * @param listener the listener that notifies the observations, or {@code null} to
	 * create it for the first one
	 * @return the listener, or {@code null} if no observer is interested
	 */
	private static @Nullable ObservedHoldListener observed(@Nullable ObservedHoldListener listener, Hold.Engine engine,
			EngineObservers observers, String key, LockKind kind) {
		ObservedHoldListener notifying = listener;
		for (EngineObserver observer : observers.observers()) {
			LockObservation observation = EngineObservers.onAcquire(observer, key, kind);
			if (observation != null) {
				notifying = (notifying != null) ? notifying : new ObservedHoldListener(engine, observers);
				notifying.add(observation);
			}
		}
		return notifying;
	}

	private void add(LockObservation observation) {
		if (this.observation == null) {
			this.observation = observation;
		}
		else {
			this.others = Arrays.copyOf(this.others, this.others.length + 1);
			this.others[this.others.length - 1] = observation;
		}
	}

	@Override
	public Hold.Engine engine() {
		return this.engine;
	}

	/**
	 * Called at most once, since another attempt may follow if the lease expired before
	 * the acquisition returned.
	 */
	@Override
	public void onContended() {
		if (!this.contended) {
			this.contended = true;
			notify(LockObservation::onContended);
		}
	}

	/**
	 * Notify that a hold is returned by the acquisition. Its lease may be lost already.
	 */
	@Override
	public void onAcquired(Hold hold) {
		if (this.observation == null) {
			observed(this, this.engine, this.observers, hold.key(), hold.options().kind());
		}
		this.acquiredNanos = this.engine.time().nanoTime();
		this.held = hold;
		notifyWaited();
		notify((observation) -> observation.onAcquired(hold.token(), this.acquiredNanos - this.startNanos));
		this.phase = HELD;
		if (hold.isLost()) {
			onLost(hold);
		}
	}

	@Override
	public void onNotAcquired(AcquireOutcome outcome, @Nullable Throwable failure) {
		if (endPhase(ACQUIRING)) {
			notifyWaited();
			notify((observation) -> observation.onNotAcquired(outcome, failure,
					this.engine.time().nanoTime() - this.startNanos));
		}
	}

	private void notifyWaited() {
		if (this.contended) {
			notify(LockObservation::onWaited);
		}
	}

	/**
	 * Notify of a loss, unless the hold was not returned by the acquisition.
	 */
	@Override
	public void onLost(Hold hold) {
		if (this.phase == HELD && this.held == hold && endPhase(HELD)) {
			notify((observation) -> observation.onLost(this.engine.time().nanoTime() - this.acquiredNanos));
		}
	}

	@Override
	public void afterRelease(long startNanos) {
		if (endPhase(HELD)) {
			notify((observation) -> observation.onReleased(startNanos - this.acquiredNanos,
					this.engine.time().nanoTime() - startNanos));
		}
	}

	private void notify(Consumer<LockObservation> call) {
		LockObservation observation = this.observation;
		if (observation != null) {
			notify(observation, call);
		}
		for (LockObservation other : this.others) {
			notify(other, call);
		}
	}

	private static void notify(LockObservation observation, Consumer<LockObservation> call) {
		try {
			call.accept(observation);
		}
		catch (Throwable ex) {
			EngineObservers.warn(ex);
		}
	}

	private boolean endPhase(int present) {
		return PHASE.compareAndSet(this, present, ENDED);
	}

	@Override
	public boolean onReleased(Hold hold) {
		long startNanos = this.engine.time().nanoTime();
		boolean lost = false;
		try {
			lost = !this.engine.onReleased(hold);
			return !lost;
		}
		finally {
			afterRelease(startNanos, lost);
		}
	}

	@Override
	public CompletionStage<Boolean> onReleasedAsync(Hold hold) {
		long startNanos = this.engine.time().nanoTime();
		CompletionStage<Boolean> released;
		try {
			released = this.engine.onReleasedAsync(hold);
		}
		catch (Throwable ex) {
			afterRelease(startNanos);
			throw ex;
		}
		return released.whenComplete((kept, failure) -> afterRelease(startNanos, Boolean.FALSE.equals(kept)));
	}

	private void afterRelease(long startNanos, boolean lost) {
		if (!lost) {
			afterRelease(startNanos);
		}
	}

}
