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

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.LockShutdownException;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineInspection;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * Leader election by an exclusive lease. Everything that may change the leadership
 * requests an update: calls, the end of an acquisition, the loss of the lease, and
 * changes of the engine. Updates never block, and only one is made at a time:
 * <ol>
 * <li>Take the result of the pending acquisition, which begins a term.</li>
 * <li>Announce the leadership if it differs from what was announced last.</li>
 * <li>A term whose lease is lost ends. A term that was relinquished ends when the
 * listeners have returned and the lease has been released.</li>
 * <li>Without a term, acquire the lease if this is running, or else cancel.</li>
 * </ol>
 * A call for which the stack has too little room changes nothing, as an update that is
 * cut off would be the last one.
 */
final class DefaultLeaderElection implements LeaderElection {

	private static final Log logger = LogFactory.getLog(DefaultLeaderElection.class);

	private final Runnable stateListener = this::update;

	private final AtomicInteger updates = new AtomicInteger();

	private final Queue<CompletableFuture<Void>> awaiting = new ConcurrentLinkedQueue<>();

	private final Queue<CompletableFuture<Void>> stopping = new ConcurrentLinkedQueue<>();

	private final LockEngine engine;

	private final String key;

	private final String storeKey;

	private final LeadershipListeners listeners;

	private final LeadershipCampaign campaign;

	private volatile boolean running;

	private volatile @Nullable LeadershipTerm term;

	DefaultLeaderElection(LockEngine engine, String key, String storeKey, AcquireOptions options) {
		this.engine = engine;
		this.key = key;
		this.storeKey = storeKey;
		this.listeners = new LeadershipListeners(engine, storeKey);
		this.campaign = new LeadershipCampaign(engine, storeKey, options, this.stateListener);
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public String storeKey() {
		return this.storeKey;
	}

	@Override
	public void start() {
		LockEngine.requireStackRoom();
		this.running = true;
		update();
	}

	@Override
	public void stop() {
		CompletableFuture<Void> stopped = requestStop();
		if (!this.listeners.areInCurrentThread()) {
			stopped.join();
		}
	}

	@Override
	public CompletionStage<Void> stopAsync() {
		return requestStop().thenRunAsync(() -> {
		}, this.listeners.threads());
	}

	private CompletableFuture<Void> requestStop() {
		LockEngine.requireStackRoom();
		this.running = false;
		relinquish();
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		this.stopping.add(stopped);
		update();
		return stopped;
	}

	@Override
	public void relinquish() {
		LockEngine.requireStackRoom();
		LeadershipTerm term = this.term;
		if (term != null) {
			term.relinquish();
			update();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isLeader() {
		return leads(this.term);
	}

	private boolean leads(@Nullable LeadershipTerm term) {
		return term != null && isCandidate() && term.isHeld();
	}

	private boolean isCandidate() {
		return this.running && !this.engine.isClosed();
	}

	@Override
	public long fencingToken() {
		LeadershipTerm term = this.term;
		if (term == null || !leads(term)) {
			throw new IllegalStateException("Not the leader of the election on " + KeyFormat.quote(this.storeKey));
		}
		if (term.token() == 0) {
			throw new UnsupportedOperationException(
					"The backend '" + this.engine.backendName() + "' does not support fencing tokens");
		}
		return term.token();
	}

	@Override
	public void await() throws InterruptedException {
		if (!await(Durations.MAX_NANOS, TimeUnit.NANOSECONDS)) {
			throw stoppedException();
		}
	}

	@Override
	public boolean await(long time, TimeUnit unit) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		CompletableFuture<Void> granted = requestAwait();
		try {
			granted.get(Math.max(time, 0), unit);
			return true;
		}
		catch (ExecutionException | TimeoutException ex) {
			if (ex.getCause() instanceof LockShutdownException) {
				throw new LockShutdownException(this.storeKey, null);
			}
			return isLeader();
		}
		finally {
			this.awaiting.remove(granted);
		}
	}

	@Override
	public CompletionStage<Void> awaitAsync() {
		CompletableFuture<Void> granted = requestAwait();
		CompletableFuture<Void> result = granted.thenRunAsync(() -> {
		}, this.listeners.threads());
		result.whenComplete((nothing, failure) -> this.awaiting.remove(granted));
		return result;
	}

	private CompletableFuture<Void> requestAwait() {
		LockEngine.requireStackRoom();
		CompletableFuture<Void> granted = new CompletableFuture<>();
		this.awaiting.add(granted);
		update();
		return granted;
	}

	private IllegalStateException stoppedException() {
		return new IllegalStateException("The election on " + KeyFormat.quote(this.storeKey) + " is not running");
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T callAsLeader(LeadershipCallback<T, E> callback)
			throws E, InterruptedException {
		Assert.notNull(callback, "'callback' must not be null");
		while (true) {
			await();
			LeadershipTerm term = this.term;
			if (term != null) {
				LeadershipBody body = new LeadershipBody();
				this.listeners.add(body, true);
				boolean leads = leads(term);
				try {
					if (leads) {
						return term.call(callback);
					}
				}
				finally {
					body.end();
					this.listeners.remove(body);
					if (leads) {
						term.relinquish();
						update();
					}
				}
			}
		}
	}

	@Override
	public String id() {
		return this.engine.inspection().instance();
	}

	@Override
	public @Nullable LeaseHolder leader() {
		return DefaultLeaseLock.inspect(this.engine, this.storeKey, EngineInspection::holders)
			.stream()
			.filter((holder) -> !holder.isReleased())
			.findFirst()
			.orElse(null);
	}

	@Override
	public List<LeaseWaiter> candidates() {
		return DefaultLeaseLock.inspect(this.engine, this.storeKey, EngineInspection::queue);
	}

	@Override
	public void addListener(LeadershipListener listener) {
		Assert.notNull(listener, "'listener' must not be null");
		LockEngine.requireStackRoom();
		this.listeners.add(listener, false);
		update();
	}

	@Override
	public void removeListener(LeadershipListener listener) {
		this.listeners.remove(listener);
	}

	/**
	 * Make an update, or let the thread that is making one make another. Does not block.
	 */
	private void update() {
		if (this.updates.getAndIncrement() == 0) {
			try {
				int seen;
				do {
					seen = this.updates.get();
					tryStep();
				}
				while (this.updates.addAndGet(-seen) > 0);
			}
			catch (Throwable ex) {
				this.updates.set(0); // another update can be made
				throw ex;
			}
		}
	}

	private void tryStep() {
		try {
			step();
		}
		catch (Throwable ex) {
			this.campaign.pause();
			logger.error("The election on " + KeyFormat.quote(this.storeKey) + " failed; it will be retried", ex);
		}
	}

	private void step() {
		listenToEngine();
		Hold hold = this.campaign.take(isCandidate());
		if (hold != null) {
			this.term = new LeadershipTerm(hold, this.engine, this.stateListener);
		}
		LeadershipTerm term = this.term;
		CompletableFuture<?> delivered = this.listeners.announce(leads(term), (term != null) ? term.token() : 0);
		boolean candidate = isCandidate();
		if (term != null && !candidate) {
			term.relinquish();
		}
		if (term != null && term.isOver(delivered)) {
			this.term = null;
		}
		if (!candidate) {
			this.campaign.cancel();
		}
		else if (this.term == null) {
			this.campaign.begin();
		}
		listenToEngine();
		completeWaits();
	}

	/**
	 * Listen to the engine from before its state is read until there is neither a term
	 * nor a candidate.
	 */
	private void listenToEngine() {
		if (this.running) {
			this.engine.stateListeners().add(this.stateListener);
		}
		else if (isIdle()) {
			this.engine.stateListeners().remove(this.stateListener);
		}
	}

	private boolean isIdle() {
		return this.term == null && !this.campaign.isPending();
	}

	private void completeWaits() {
		if (!this.running) {
			pollAll(this.awaiting, (granted) -> granted.completeExceptionally(stoppedException()));
		}
		else if (this.engine.isClosed()) {
			pollAll(this.awaiting,
					(granted) -> granted.completeExceptionally(new LockShutdownException(this.storeKey, null)));
		}
		else if (this.listeners.areGranted()) {
			pollAll(this.awaiting, (granted) -> granted.complete(null));
		}
		if (this.running || isIdle()) {
			pollAll(this.stopping, (stopped) -> stopped.complete(null));
		}
	}

	private static <T> void pollAll(Queue<T> queue, Consumer<T> action) {
		for (T next = queue.poll(); next != null; next = queue.poll()) {
			action.accept(next);
		}
	}

	@Override
	public String toString() {
		return "leader election on " + KeyFormat.quote(this.storeKey);
	}

}
