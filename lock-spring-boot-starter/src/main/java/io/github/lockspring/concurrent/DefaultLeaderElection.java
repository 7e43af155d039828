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
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.LockLostException;
import io.github.lockspring.LockShutdownException;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LossReaction;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.support.DaemonThreads;
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
 */
final class DefaultLeaderElection implements LeaderElection {

	private static final Log logger = LogFactory.getLog(DefaultLeaderElection.class);

	/**
	 * How long listeners may delay the release of a lease.
	 */
	private static final Duration LISTENER_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration CHECK_INTERVAL = Duration.ofMillis(50);

	private static final Duration MIN_PAUSE = Duration.ofMillis(500);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

	private final Runnable stateListener = this::update;

	private final AtomicInteger updates = new AtomicInteger();

	private final List<LeadershipDelivery> deliveries = new CopyOnWriteArrayList<>();

	private final Queue<CompletableFuture<Void>> awaiting = new ConcurrentLinkedQueue<>();

	private final Queue<CompletableFuture<Void>> stopping = new ConcurrentLinkedQueue<>();

	private final LockEngine engine;

	private final String key;

	private final String storeKey;

	private final AcquireOptions options;

	private final Executor threads;

	private volatile boolean running;

	private volatile @Nullable Term term;

	/**
	 * Pending acquisition. Confined to updates, like the fields that follow.
	 */
	private @Nullable CompletableFuture<@Nullable Hold> campaign;

	private boolean announced;

	private long announcedToken;

	private CompletableFuture<?> delivered = CompletableFuture.completedFuture(null);

	private volatile boolean pausing;

	private Duration pause = MIN_PAUSE;

	DefaultLeaderElection(LockEngine engine, String key, String storeKey, AcquireOptions options) {
		this.engine = engine;
		this.key = key;
		this.storeKey = storeKey;
		this.options = options;
		this.threads = threads("lock-" + engine.backendName() + "-leadership-");
		addListener(new Events(engine.listener(), storeKey));
	}

	private static Executor threads(String prefix) {
		ThreadFactory threads = DaemonThreads.virtualOrNamed(prefix);
		return (task) -> threads.newThread(task).start();
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
		this.running = true;
		update();
	}

	@Override
	public void stop() {
		CompletableFuture<Void> stopped = requestStop();
		if (this.deliveries.stream().noneMatch(LeadershipDelivery::isInCurrentThread)) {
			stopped.join();
		}
	}

	@Override
	public CompletionStage<Void> stopAsync() {
		return requestStop().thenRunAsync(() -> {
		}, this.threads);
	}

	private CompletableFuture<Void> requestStop() {
		this.running = false;
		relinquish();
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		this.stopping.add(stopped);
		update();
		return stopped;
	}

	@Override
	public void relinquish() {
		Term term = this.term;
		if (term != null) {
			relinquish(term);
		}
	}

	private void relinquish(Term term) {
		term.relinquished = true;
		update();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isLeader() {
		return leads(this.term);
	}

	private boolean leads(@Nullable Term term) {
		return term != null && !term.relinquished && isCandidate() && term.hold.isHeld();
	}

	private boolean isCandidate() {
		return this.running && !this.engine.isClosed();
	}

	@Override
	public long fencingToken() {
		Term term = this.term;
		if (term == null || !leads(term)) {
			throw new IllegalStateException("Not the leader of the election on " + KeyFormat.quote(this.storeKey));
		}
		if (term.hold.token() == 0) {
			throw new UnsupportedOperationException(
					"The backend '" + this.engine.backendName() + "' does not support fencing tokens");
		}
		return term.hold.token();
	}

	@Override
	public void await() throws InterruptedException {
		requireNotInterrupted();
		CompletableFuture<Void> granted = requestAwait();
		try {
			granted.get();
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof LockShutdownException) ? shutdownException() : stoppedException();
		}
		finally {
			forget(granted);
		}
	}

	@Override
	public boolean await(long time, TimeUnit unit) throws InterruptedException {
		requireNotInterrupted();
		CompletableFuture<Void> granted = requestAwait();
		try {
			granted.get(Math.max(time, 0), unit);
			return true;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof LockShutdownException) {
				throw shutdownException();
			}
			return isLeader();
		}
		catch (TimeoutException ex) {
			return isLeader();
		}
		finally {
			forget(granted);
		}
	}

	private static void requireNotInterrupted() throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
	}

	@Override
	public CompletionStage<Void> awaitAsync() {
		return requestAwait().thenRunAsync(() -> {
		}, this.threads);
	}

	private CompletableFuture<Void> requestAwait() {
		CompletableFuture<Void> granted = new CompletableFuture<>();
		this.awaiting.add(granted);
		update();
		return granted;
	}

	private void forget(CompletableFuture<Void> granted) {
		if (!granted.isDone()) {
			this.awaiting.remove(granted);
		}
	}

	private RuntimeException shutdownException() {
		return new LockShutdownException(this.storeKey, null);
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
			Term term = this.term;
			if (term == null) {
				continue;
			}
			LeadershipBody body = new LeadershipBody(LISTENER_TIMEOUT);
			LeadershipDelivery delivery = new LeadershipDelivery(body, this.engine, this.storeKey, this.threads, true);
			this.deliveries.add(delivery);
			boolean leads = leads(term);
			try {
				if (leads) {
					return callAsLeader(callback, term);
				}
			}
			finally {
				body.end();
				this.deliveries.remove(delivery);
				if (leads) {
					relinquish(term);
				}
			}
		}
	}

	private <T extends @Nullable Object, E extends Throwable> T callAsLeader(LeadershipCallback<T, E> callback,
			Term term) throws E {
		T result;
		try {
			result = callback.doAsLeader(term.hold.token());
		}
		catch (Throwable ex) {
			if (isLost(term)) {
				ex.addSuppressed(new LockLostException(this.storeKey));
			}
			throw ex;
		}
		if (isLost(term)) {
			throw new LockLostException(this.storeKey);
		}
		return result;
	}

	private static boolean isLost(Term term) {
		return !term.relinquished && !term.hold.hasLease();
	}

	@Override
	public String id() {
		return this.engine.instance();
	}

	@Override
	public @Nullable LeaseHolder leader() {
		return inspect(() -> this.engine.holders(this.storeKey)
			.stream()
			.filter((holder) -> !holder.isReleased())
			.findFirst()
			.orElse(null));
	}

	@Override
	public List<LeaseWaiter> candidates() {
		return inspect(() -> this.engine.queue(this.storeKey));
	}

	private <T extends @Nullable Object> T inspect(Supplier<T> call) {
		try {
			return call.get();
		}
		catch (EngineException ex) {
			throw LockUtils.translate(ex, this.storeKey);
		}
	}

	@Override
	public void addListener(LeadershipListener listener) {
		Assert.notNull(listener, "'listener' must not be null");
		this.deliveries.add(new LeadershipDelivery(listener, this.engine, this.storeKey, this.threads, false));
		update();
	}

	@Override
	public void removeListener(LeadershipListener listener) {
		this.deliveries.removeIf((delivery) -> delivery.isFor(listener));
	}

	/**
	 * Make an update, or let the thread that is making one make another. Does not block.
	 */
	private void update() {
		if (this.updates.getAndIncrement() == 0) {
			int seen;
			do {
				seen = this.updates.get();
				tryStep();
			}
			while (this.updates.addAndGet(-seen) > 0);
		}
	}

	private void tryStep() {
		try {
			step();
		}
		catch (Throwable ex) {
			logger.error("The election on " + KeyFormat.quote(this.storeKey) + " failed; it will be retried", ex);
			pause();
		}
	}

	private void step() {
		listenToEngine();
		takeResult();
		Term term = this.term;
		announce(leads(term), (term != null) ? term.hold.token() : this.announcedToken);
		if (term != null) {
			check(term);
		}
		if (this.term == null) {
			campaign();
		}
		completeWaits();
	}

	private void listenToEngine() {
		if (this.running) {
			this.engine.addStateListener(this.stateListener);
		}
		else if (this.term == null && this.campaign == null) {
			this.engine.removeStateListener(this.stateListener);
		}
	}

	private void takeResult() {
		CompletableFuture<@Nullable Hold> campaign = this.campaign;
		if (campaign == null || !campaign.isDone()) {
			return;
		}
		this.campaign = null;
		try {
			Hold hold = campaign.join();
			if (hold != null) {
				this.term = new Term(hold);
				this.pause = MIN_PAUSE;
				hold.onLost((LossReaction) this.stateListener::run);
			}
		}
		catch (CompletionException | CancellationException ex) {
			retry((ex.getCause() != null) ? ex.getCause() : ex);
		}
	}

	/**
	 * Retry after a failure other than a failure of the store, which the engine retries.
	 */
	private void retry(Throwable failure) {
		if (isCandidate()) {
			if (this.pause.equals(MIN_PAUSE)) {
				logger.warn("Could not take part in the election on " + KeyFormat.quote(this.storeKey)
						+ "; it will be retried", failure);
			}
			pause();
		}
	}

	private void pause() {
		this.pausing = true;
		this.engine.runAfter(this.pause, () -> {
			this.pausing = false;
			update();
		});
		this.pause = Durations.min(this.pause.multipliedBy(2), MAX_PAUSE);
	}

	/**
	 * Announce a change of the leadership to all listeners, and the present leadership to
	 * those that were added since.
	 */
	private void announce(boolean leads, long token) {
		if (leads != this.announced) {
			logger.info(
					(leads ? "Elected" : "No longer") + " leader of the election on " + KeyFormat.quote(this.storeKey));
			this.announced = leads;
			this.announcedToken = token;
			this.delivered = CompletableFuture.allOf(this.deliveries.stream()
				.map((delivery) -> delivery.announce(leads, token))
				.toArray(CompletableFuture[]::new));
		}
		else if (leads) {
			this.deliveries.forEach((delivery) -> delivery.announce(true, this.announcedToken));
		}
	}

	private void check(Term term) {
		if (!isCandidate()) {
			term.relinquished = true;
		}
		if (!term.hold.hasLease() && !term.releasing) {
			term.hold.releaseAsync();
			this.term = null;
		}
		else if (term.released) {
			this.term = null;
		}
		else if (term.relinquished && !term.releasing) {
			release(term);
		}
		else if (!term.relinquished && !term.hold.isHeld() && !term.checking) {
			term.checking = true;
			this.engine.runAfter(CHECK_INTERVAL, () -> {
				term.checking = false;
				update();
			});
		}
	}

	private void release(Term term) {
		term.releasing = true;
		this.delivered.copy()
			.completeOnTimeout(null, LISTENER_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
			.thenCompose((delivered) -> term.hold.releaseAsync())
			.whenComplete((released, failure) -> {
				term.released = true;
				update();
			});
	}

	private void campaign() {
		CompletableFuture<@Nullable Hold> campaign = this.campaign;
		if (!isCandidate()) {
			if (campaign != null) {
				campaign.cancel(false);
			}
		}
		else if (campaign == null && !this.pausing) {
			campaign = this.engine.acquireAsync(this.storeKey, this.options, new Candidate(this.storeKey),
					Durations.MAX_NANOS);
			this.campaign = campaign;
			campaign.whenComplete((hold, failure) -> update());
		}
	}

	private void completeWaits() {
		if (!this.running) {
			pollAll(this.awaiting, (granted) -> granted.completeExceptionally(stoppedException()));
		}
		else if (this.engine.isClosed()) {
			pollAll(this.awaiting, (granted) -> granted.completeExceptionally(shutdownException()));
		}
		else if (this.announced) {
			pollAll(this.awaiting, (granted) -> granted.complete(null));
		}
		if (this.running || this.term == null && this.campaign == null) {
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

	/**
	 * Time for which this process has the lease.
	 */
	private static final class Term {

		private final Hold hold;

		private volatile boolean relinquished;

		private boolean releasing;

		private volatile boolean released;

		private volatile boolean checking;

		Term(Hold hold) {
			this.hold = hold;
		}

	}

	/**
	 * Owner of one acquisition.
	 *
	 * @param storeKey the key of the election
	 */
	private record Candidate(String storeKey) {

		@Override
		public String toString() {
			return "the election on " + KeyFormat.quote(this.storeKey);
		}

	}

	/**
	 * Notifies the listener of the engine, which publishes application events.
	 */
	private static final class Events implements LeadershipListener {

		private final EngineListener listener;

		private final String storeKey;

		private long token;

		Events(EngineListener listener, String storeKey) {
			this.listener = listener;
			this.storeKey = storeKey;
		}

		@Override
		public void onGranted(long fencingToken) {
			this.token = fencingToken;
			this.listener.leadershipGranted(this.storeKey, fencingToken);
		}

		@Override
		public void onRevoked() {
			this.listener.leadershipRevoked(this.storeKey, this.token);
		}

	}

}
