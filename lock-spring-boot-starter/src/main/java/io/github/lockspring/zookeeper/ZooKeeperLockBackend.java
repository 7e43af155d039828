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
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.util.Assert;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.support.Deadline;

/**
 * {@link LockBackend} in ZooKeeper, on a {@link CuratorFramework}.
 * <ol>
 * <li>The queue is the lock: a request creates a node in the queue of its key, and holds
 * the key when no node before it blocks it. No request is overtaken, whether it is fair
 * or not. The recipe is the one for locks in the documentation of ZooKeeper, with the
 * owner in the name of the node, for readers and for permits as well.</li>
 * <li>One step creates the node and returns whether it is alone in the queue, which is
 * one round trip and one request. A waiting request watches the nearest node that blocks
 * it, and holds the key with the notification of its deletion.</li>
 * <li>A lease lasts as long as the session, and no longer. A renewal is one request for
 * all leases, by which a majority confirms the session, and one request for every few
 * hundred leases, which checks whether their nodes were deleted. While the connection is
 * suspended it is unknown whether the session still exists; if it does not, all leases
 * are lost.</li>
 * <li>The fencing token is the id of the transaction that created the node, with room for
 * hand-offs of the lease.</li>
 * <li>Values are nodes that do not depend on a session.</li>
 * </ol>
 * No request is resent by the client, and none outlasts its timeout: both are ensured
 * here. Thread-safe.
 */
public final class ZooKeeperLockBackend implements LockBackend {

	private static final Log logger = LogFactory.getLog(ZooKeeperLockBackend.class);

	private static final Duration MIN_SESSION_LIFETIME = Duration.ofSeconds(2);

	private static final int MAX_TOKENS = (1 << QueueNode.TOKEN_BITS) / 2;

	private final CuratorFramework client;

	private final ZooKeeperLockSettings settings;

	private final Connection connection;

	private final Calls calls;

	private final LockQueues lockQueues;

	private final ZooKeeperValueBackend values;

	/**
	 * Create a backend. Does not access the servers yet.
	 * @param client the client, which is started unless it is already started or the
	 * settings say otherwise, and never closed
	 * @param settings the settings
	 */
	public ZooKeeperLockBackend(CuratorFramework client, ZooKeeperLockSettings settings) {
		this(client, settings, ZooKeeperValueBackend.KEPT_TIME);
	}

	ZooKeeperLockBackend(CuratorFramework client, ZooKeeperLockSettings settings, Duration keptTimeOfDeletedValues) {
		Assert.notNull(client, "'client' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		LockPaths paths = new LockPaths(client, settings.namespace());
		this.client = client;
		this.settings = settings;
		this.connection = new Connection(client, paths, new Sessions(), settings.startsClient());
		this.calls = new Calls(this.connection);
		this.lockQueues = new LockQueues(paths, this.connection);
		this.values = new ZooKeeperValueBackend(paths, this.connection, this.calls, keptTimeOfDeletedValues);
	}

	@Override
	public String name() {
		return "zookeeper";
	}

	@Override
	public Set<Capability> capabilities() {
		return EnumSet.allOf(Capability.class);
	}

	@Override
	public void identify(String instance, ProcessName name) {
		this.connection.setProcessName(name.toString());
	}

	/**
	 * Start the client unless it is started or left to the application, and create the
	 * root of all locks unless it exists. Servers may be unavailable: no lock can be
	 * acquired until they are connected.
	 * @throws ZooKeeperLockSetupException if the data or configuration of the servers
	 * prevents locks
	 */
	@Override
	public void start(BackendListener listener) {
		this.lockQueues.watcher().setListener(listener);
		this.values.setListener(listener);
		if (!this.connection.start()) {
			logger.warn("No locks can be acquired until the application has started its CuratorFramework");
			return;
		}
		try {
			this.connection.session(this.settings.operationTimeout().toNanos());
		}
		catch (BackendUnavailableException ex) {
			logger.warn("ZooKeeper is unavailable; no locks can be acquired until it is connected: " + ex.getMessage());
		}
		warnings().forEach(logger::warn);
	}

	@Override
	public Duration maxLeaseTime() {
		Session session = this.connection.lastSession();
		return (session != null) ? session.guaranteedLifetime() : MIN_SESSION_LIFETIME;
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
		Assert.isTrue(request.terms().tokens() <= MAX_TOKENS,
				() -> "A lease has at most " + MAX_TOKENS + " fencing tokens, not " + request.terms().tokens());
		try {
			return this.calls.call(timeout, (session) -> this.lockQueues.entrance().enter(session, request, stays));
		}
		catch (OutcomeUnknownException ex) {
			this.lockQueues.releaser().cancel(request);
			throw ex;
		}
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Does not access the servers: waiting requests watch the nodes that block them, and
	 * are notified of changes. Without requests, watches the nodes of recallable leases
	 * whose watch has failed. The result does not contain requests that were notified,
	 * and those whose watches are not confirmed on the current connection.
	 */
	@Override
	public Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		if (waiting.isEmpty()) {
			this.lockQueues.watchRecallable();
			return Map.of();
		}
		long now = System.nanoTime();
		Session session = this.calls.session(TimeUnit.NANOSECONDS.convert(timeout));
		return this.lockQueues.watcher().denyAgain(session, waiting, now);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The batches are large, because all leases are lost together if the session is.
	 */
	@Override
	public int renewalBatchSize() {
		return 5_000;
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		Set<LeaseRequest> held = this.calls.call(timeout,
				(session) -> this.lockQueues.confirmation().confirm(session, leases));
		Set<LeaseRequest> lost = new HashSet<>(leases);
		lost.removeAll(held);
		return new Renewal(held, lost);
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		return this.calls.call(timeout, (session) -> this.lockQueues.releaser().leave(session, lease));
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		return this.calls.call(timeout, (session) -> this.lockQueues.releaser().leaveWithDelay(session, lease, delay));
	}

	@Override
	public void declineRecall(LeaseRequest lease, Duration timeout) {
		this.calls.call(timeout, (session) -> this.lockQueues.declineRecall(lease).thenApply((done) -> true));
	}

	@Override
	public Attempt downgrade(LeaseRequest held, LeaseRequest weaker, Duration timeout) {
		return this.calls.call(timeout, (session) -> this.lockQueues.releaser().downgrade(session, held, weaker));
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		return this.calls.call(timeout, (session) -> this.lockQueues.inspect(session, key));
	}

	@Override
	public List<LeaseWaiter> inspectQueue(String key, Duration timeout) {
		return this.calls.call(timeout, (session) -> this.lockQueues.inspectQueue(session, key));
	}

	@Override
	public boolean forceRelease(String key, LeaseHolder holder, Duration timeout) {
		return this.calls.call(timeout, (session) -> this.lockQueues.forceRelease(session, key, holder.owner()));
	}

	@Override
	public Optional<ValueBackend> values() {
		return Optional.of(this.values);
	}

	@Override
	public String address() {
		return this.connection.address();
	}

	@Override
	public List<String> warnings() {
		Session session = this.connection.lastSession();
		return (session != null) ? this.settings.warnings(session) : List.of();
	}

	@Override
	public void close() {
		this.lockQueues.watcher().setListener(BackendListener.NONE);
		this.values.setListener(BackendListener.NONE);
		if (this.connection.sessionNow() != null) {
			try {
				Calls.await(this.lockQueues.releaser().leaveAllThatWait(),
						Deadline.after(this.settings.operationTimeout()));
			}
			catch (BackendException ex) {
				logger.debug("Could not remove all queue entries in ZooKeeper: " + ex.getMessage());
			}
		}
		this.connection.close();
	}

	@Override
	public LockBackend reopened() {
		return new ZooKeeperLockBackend(this.client, this.settings);
	}

	/**
	 * Return whether this process keeps no state of any request.
	 */
	boolean isEmpty() {
		return this.lockQueues.isEmpty();
	}

	/**
	 * Forwards the state of sessions.
	 */
	private final class Sessions implements Connection.SessionListener {

		@Override
		public void suspended() {
			ZooKeeperLockBackend.this.lockQueues.watcher().listener().onSuspended();
		}

		@Override
		public void resumed(Session session) {
			ZooKeeperLockBackend.this.lockQueues.resumed(session);
			ZooKeeperLockBackend.this.lockQueues.watcher().listener().onResumed();
			ZooKeeperLockBackend.this.values.resumed(session);
		}

		@Override
		public void lost(Session session) {
			ZooKeeperLockBackend.this.lockQueues.lost(session);
		}

	}

}
