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

package io.github.lockspring.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Renewal;

import org.springframework.util.Assert;

/**
 * {@link LockBackend} in ZooKeeper, on a {@link CuratorFramework}.
 * <ol>
 * <li>The queue is the lock: a request creates a node in the queue of its key, and holds
 * the key when nobody before it is in its way. Nobody is overtaken, whether the request
 * asks for that or not. The recipe is the one for locks in the documentation of
 * ZooKeeper, with the owner in the name of the node, for readers and for permits as
 * well.</li>
 * <li>One step creates the node and tells whether it is alone in the queue, which is one
 * round trip and one request. One who waits watches the nearest in its way, and holds the
 * key with the news that it has gone.</li>
 * <li>A lease lasts as long as the session, and no longer. Renewal is one request for all
 * leases, which has the leader confirm the session, and one for some hundred of them,
 * which looks whether somebody has deleted their nodes. While the connection is broken
 * nobody knows whether the session is still there; if it is not, all leases are
 * lost.</li>
 * <li>The fencing token is the id of the transaction that created the node, with room for
 * the lease to be handed on.</li>
 * </ol>
 * No request is sent again by the client, and none outlasts its time-out: both are seen
 * to here. Safe for use by many threads at once.
 */
public final class ZooKeeperLockBackend implements LockBackend {

	private static final Log logger = LogFactory.getLog(ZooKeeperLockBackend.class);

	private static final Duration SHORTEST_SESSION = Duration.ofSeconds(2);

	private static final int MOST_TOKENS = (1 << QueueNode.TOKEN_BITS) / 2;

	private final CuratorFramework client;

	private final ZooKeeperLockSettings settings;

	private final Connection connection;

	private final LockQueues lockQueues;

	private volatile @Nullable BackendListener listener;

	/**
	 * Creates a backend. Does not talk to the servers yet.
	 * @param client the client, which is started if nobody has done that, and never
	 * closed
	 * @param settings the numbers
	 */
	public ZooKeeperLockBackend(CuratorFramework client, ZooKeeperLockSettings settings) {
		Assert.notNull(client, "'client' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		LockPaths tree = new LockPaths(client, settings.namespace());
		this.client = client;
		this.settings = settings;
		this.connection = new Connection(client, tree, new Sessions());
		this.lockQueues = new LockQueues(tree, this.connection);
	}

	@Override
	public String name() {
		return "zookeeper";
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.allOf(Capability.class);
	}

	/**
	 * Starts the client unless it is started, and creates the root of all locks unless it
	 * is there. Goes on without servers: they may come later, and until then nobody
	 * acquires a lock.
	 * @throws ZooKeeperLockSetupException if the servers do not let us keep locks
	 */
	@Override
	public void start(BackendListener listener) {
		this.listener = listener;
		this.lockQueues.setListener(listener);
		this.connection.start();
		try {
			this.connection.session(this.settings.operationTimeout().toNanos());
		}
		catch (BackendUnavailableException ex) {
			logger.warn("No locks can be acquired until ZooKeeper can be reached: " + ex.getMessage());
		}
		warnings().forEach(logger::warn);
	}

	@Override
	public Duration maxLeaseTime() {
		Session session = this.connection.lastSession();
		return (session != null) ? session.guaranteedLifetime() : SHORTEST_SESSION;
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		return enter(request, false, timeout);
	}

	@Override
	public Attempt contend(LeaseRequest request, Duration timeout) {
		return enter(request, true, timeout);
	}

	private Attempt enter(LeaseRequest request, boolean stays, Duration timeout) {
		Assert.isTrue(request.terms().tokens() <= MOST_TOKENS,
				() -> "A lease has at most " + MOST_TOKENS + " fencing tokens, not " + request.terms().tokens());
		try {
			return call(timeout, (session) -> this.lockQueues.enter(session, request, stays));
		}
		catch (OutcomeUnknownException ex) {
			this.lockQueues.cancel(request);
			throw ex;
		}
	}

	/**
	 * Answers from memory: whoever waits watches who is in the way, and hears of what
	 * becomes of them. Left out are those who heard something, and those whose watches
	 * are not confirmed on the present connection.
	 */
	@Override
	public Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		long now = System.nanoTime();
		Session session = session(TimeUnit.NANOSECONDS.convert(timeout));
		return this.lockQueues.denyAgain(session, waiting, now);
	}

	/**
	 * All leases are lost together if the session is, so there is no reason to renew few
	 * at a time.
	 */
	@Override
	public int renewalBatchSize() {
		return 5_000;
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		Set<LeaseRequest> held = call(timeout, (session) -> this.lockQueues.confirm(session, leases));
		Set<LeaseRequest> lost = new HashSet<>(leases);
		lost.removeAll(held);
		return new Renewal(held, lost);
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		return call(timeout, (session) -> this.lockQueues.leave(session, lease));
	}

	@Override
	public CompletionStage<Boolean> releaseAsync(LeaseRequest lease, Duration timeout) {
		Session session = this.connection.sessionNow();
		if (session == null) {
			return CompletableFuture.failedFuture(new BackendUnavailableException("ZooKeeper is not connected", null));
		}
		return this.lockQueues.leave(session, lease)
			.copy()
			.orTimeout(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS)
			.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(translate(failure)));
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration rest, Duration timeout) {
		return call(timeout, (session) -> this.lockQueues.leaveAfter(session, lease, rest));
	}

	@Override
	public Attempt downgrade(LeaseRequest exclusive, LeaseRequest shared, Duration timeout) {
		return call(timeout, (session) -> this.lockQueues.downgrade(session, exclusive, shared));
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		return call(timeout, (session) -> this.lockQueues.inspect(session, key));
	}

	@Override
	public String address() {
		return this.connection.address();
	}

	@Override
	public List<String> warnings() {
		Session session = this.connection.lastSession();
		return (session != null) ? warnings(session) : List.of();
	}

	private List<String> warnings(Session session) {
		List<String> warnings = new ArrayList<>();
		Duration wanted = this.settings.sessionTimeout();
		if (wanted != null && !session.timeout().equals(wanted)) {
			warnings.add("ZooKeeper gives a session time-out of " + session.timeout().toMillis() + " ms instead of "
					+ wanted.toMillis() + " ms: a lease lasts that long at most without being renewed");
		}
		if (this.settings.exclusive() && session.isOpenToAll()) {
			warnings.add("Anybody who reaches ZooKeeper can delete locks: '" + session.root()
					+ "' was created by a client without authorization. Restrict its ACL and that of the nodes below, "
					+ "or choose another lock.zookeeper.namespace");
		}
		return warnings;
	}

	@Override
	public void close() {
		this.listener = null;
		this.lockQueues.setListener(null);
		if (this.connection.sessionNow() != null) {
			try {
				await(this.lockQueues.leaveAllThatWait(), this.settings.operationTimeout().toNanos());
			}
			catch (BackendException ex) {
				logger.debug("Could not leave the queues in ZooKeeper: " + ex.getMessage());
			}
		}
		this.connection.close();
	}

	@Override
	public LockBackend reopened() {
		return new ZooKeeperLockBackend(this.client, this.settings);
	}

	/**
	 * Whether this process remembers nothing of any request.
	 */
	boolean isEmpty() {
		return this.lockQueues.isEmpty();
	}

	private <T> T call(Duration timeout, Function<Session, CompletableFuture<T>> request) {
		long nanos = TimeUnit.NANOSECONDS.convert(timeout);
		long start = System.nanoTime();
		Session session = session(nanos);
		return await(request.apply(session), nanos - (System.nanoTime() - start));
	}

	private Session session(long nanos) {
		try {
			return this.connection.session(nanos);
		}
		catch (ZooKeeperLockSetupException ex) {
			throw new BackendUnavailableException(String.valueOf(ex.getMessage()), ex);
		}
	}

	private static <T> T await(CompletableFuture<T> answer, long nanos) {
		try {
			return answer.get(Math.max(nanos, 0), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			throw translate(ex.getCause());
		}
		catch (TimeoutException ex) {
			throw translate(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new OutcomeUnknownException("Interrupted while ZooKeeper had not answered yet", ex);
		}
	}

	private static RuntimeException translate(@Nullable Throwable failure) {
		Throwable cause = (failure != null) ? LockQueues.cause(failure) : null;
		if (cause instanceof BackendException || cause instanceof IllegalArgumentException) {
			return (RuntimeException) cause;
		}
		if (cause instanceof KeeperException refusal && isCertain(refusal.code())) {
			String hint = (refusal.code() == Code.UNIMPLEMENTED) ? " (the server must be 3.5.1 or later)" : "";
			return new BackendUnavailableException("ZooKeeper refused: " + refusal.getMessage() + hint, refusal);
		}
		String reason = (cause instanceof TimeoutException) ? "no answer came in time" : String.valueOf(cause);
		return new OutcomeUnknownException("ZooKeeper did not answer: " + reason, cause);
	}

	private static boolean isCertain(Code code) {
		return switch (code) {
			case CONNECTIONLOSS, OPERATIONTIMEOUT, SESSIONEXPIRED, SYSTEMERROR, RUNTIMEINCONSISTENCY, DATAINCONSISTENCY,
					MARSHALLINGERROR, REQUESTTIMEOUT ->
				false;
			default -> true;
		};
	}

	/**
	 * Passes on what becomes of sessions.
	 */
	private final class Sessions implements Connection.SessionListener {

		@Override
		public void suspended() {
			BackendListener listener = ZooKeeperLockBackend.this.listener;
			if (listener != null) {
				listener.onSuspended();
			}
		}

		@Override
		public void resumed(Session session) {
			ZooKeeperLockBackend.this.lockQueues.resumed(session);
			BackendListener listener = ZooKeeperLockBackend.this.listener;
			if (listener != null) {
				listener.onResumed();
			}
		}

		@Override
		public void lost(Session session) {
			ZooKeeperLockBackend.this.lockQueues.lost(session);
		}

	}

}
