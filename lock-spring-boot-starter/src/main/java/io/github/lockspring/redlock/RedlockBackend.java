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
package io.github.lockspring.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.Assert;

import io.github.lockspring.redis.RedisLockBackend;
import io.github.lockspring.redis.RedisLockSettings;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.support.Deadline;
import io.github.lockspring.support.Durations;

/**
 * {@link LockBackend} on several independent Redis servers: Redlock, as <a href=
 * "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">described by
 * Redis</a>.
 * <ol>
 * <li>All nodes are called in parallel, with a timeout that is a fraction of the lease
 * time. The call ends as soon as the answers are decisive.</li>
 * <li>A lease is granted if a majority granted it. It lasts for its lease time, less the
 * time since before the first call, less one percent and two milliseconds for clock
 * drift.</li>
 * <li>If there is no majority, or no time left, the lease is released on all nodes, also
 * on those that did not respond, and the release is retried later on those that do not
 * respond. The next attempt is made after a random delay, so that contenders do not split
 * the votes forever.</li>
 * <li>A lease is renewed if a majority renewed it, and requested again from nodes that
 * have lost it. It is lost if so many nodes have lost it that no majority is left.</li>
 * </ol>
 * The failure or slowness of a minority has no effect except that its votes are missing.
 * There are no fencing tokens, because each node counts separately. A server that
 * restarts without its data and is available again before its leases have expired may
 * vote twice. Thread-safe.
 */
public final class RedlockBackend implements LockBackend {

	/**
	 * Default timeout of a call to a node.
	 */
	public static final Duration DEFAULT_NODE_TIMEOUT = Duration.ofMillis(100);

	private static final Log logger = LogFactory.getLog(RedlockBackend.class);

	/**
	 * Number of calls to a node in a probe.
	 */
	private static final int PROBE_CALLS = 4;

	/**
	 * Divisor of the lease time, which results in the time after which a node counts as
	 * failed.
	 */
	private static final int LEASE_DIVISOR = 5;

	/**
	 * Number of renewals that a node processes in one {@link #nodeTimeout}.
	 */
	private static final int RENEWALS_PER_TIMEOUT = 250;

	/**
	 * Maximum difference of clocks, in addition to one percent of drift.
	 */
	private static final Duration DRIFT = Duration.ofMillis(2);

	private final List<RedlockNode> nodes;

	private final Duration nodeTimeout;

	private final Duration startTimeout;

	private final Supplier<List<RedlockNode>> source;

	private final NodeIdentities identities = new NodeIdentities();

	private final Quorum quorum;

	/**
	 * Leases that were granted, and neither lost nor released since.
	 */
	private final Set<LeaseRequest> granted = ConcurrentHashMap.newKeySet();

	/**
	 * Create a backend.
	 * @param nodes the connections to the servers, by their names in messages
	 * @param settings the settings of each of them
	 */
	public RedlockBackend(Map<String, RedisConnectionFactory> nodes, RedisLockSettings settings) {
		this(nodes, settings, DEFAULT_NODE_TIMEOUT);
	}

	/**
	 * Create a backend.
	 * @param nodes the connections to the servers, by their names in messages
	 * @param settings the settings of each of them
	 * @param nodeTimeout the timeout of a call to a node
	 */
	public RedlockBackend(Map<String, RedisConnectionFactory> nodes, RedisLockSettings settings, Duration nodeTimeout) {
		this(() -> nodes(nodes, settings), nodeTimeout, settings.operationTimeout());
	}

	RedlockBackend(Supplier<List<RedlockNode>> source, Duration nodeTimeout, Duration startTimeout) {
		List<RedlockNode> nodes = source.get();
		Assert.notEmpty(nodes, "'nodes' must not be empty");
		Durations.requirePositive(nodeTimeout, "nodeTimeout");
		this.source = source;
		this.nodes = List.copyOf(nodes);
		this.nodeTimeout = Durations.cap(nodeTimeout);
		this.startTimeout = startTimeout;
		this.quorum = new Quorum(nodes.stream().map(RedlockNode::name).toList());
	}

	private static List<RedlockNode> nodes(Map<String, RedisConnectionFactory> factories, RedisLockSettings settings) {
		List<RedlockNode> nodes = new ArrayList<>();
		factories.forEach((name, factory) -> {
			RedisLockBackend backend = new RedisLockBackend(factory, settings);
			nodes.add(new RedlockNode(name, backend, backend::info));
		});
		return nodes;
	}

	@Override
	public String name() {
		return "redlock";
	}

	@Override
	public Set<Capability> capabilities() {
		return Set.of();
	}

	@Override
	public void identify(String instance, ProcessName name) {
		this.nodes.forEach((node) -> node.identify(instance, name));
	}

	/**
	 * Connect to the nodes.
	 * @throws IllegalStateException if two of them are the same server
	 */
	@Override
	public void start(BackendListener listener) {
		List<CompletableFuture<Void>> starts = this.nodes.stream()
			.map((node) -> node.calls().start(this.identities))
			.toList();
		starts.forEach(this::awaitStart);
		long deadline = Deadline.after(this.startTimeout);
		callAll(deadline, (backend, timeout) -> true).await((answers) -> false, deadline);
		String duplicate = this.identities.duplicate();
		if (duplicate != null) {
			close();
			throw new IllegalStateException(duplicate);
		}
		ownWarnings().forEach(logger::warn);
	}

	private void awaitStart(CompletableFuture<Void> start) {
		try {
			start.get(Durations.nanos(this.startTimeout.multipliedBy(3)), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			logger.debug("A Redlock node is not connected yet");
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException ex) {
			close();
			throw new CompletionException(ex.getCause());
		}
	}

	private <T> QuorumCall<T> callAll(long deadline, NodeCalls.Call<T> call) {
		return QuorumCall.of(this.nodes, (node) -> node.calls().callAsync(deadline, call));
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		requireSupport(request);
		this.identities.requireNoDuplicate();
		return tryAcquireWithin(nodeTimeout(request, timeout.dividedBy(2)), request);
	}

	private void requireSupport(LeaseRequest request) {
		if (request.terms().mode() != LeaseMode.EXCLUSIVE || request.hasMultipleKeys()) {
			throw new UnsupportedOperationException(
					"The lock backend 'redlock' supports only exclusive leases of one key, not " + request);
		}
	}

	private Duration nodeTimeout(LeaseRequest request, Duration timeout) {
		return Durations.min(Durations.min(this.nodeTimeout, timeout),
				request.terms().leaseTime().dividedBy(LEASE_DIVISOR));
	}

	private Attempt tryAcquireWithin(Duration timeout, LeaseRequest request) {
		AtomicBoolean wanted = new AtomicBoolean(true);
		long start = System.nanoTime();
		long deadline = start + timeout.toNanos();
		List<NodeAnswer<Attempt>> answers = QuorumCall
			.of(this.nodes, (node) -> node.acquire(request, deadline, wanted::get))
			.await(this.quorum::decidesAttempt, deadline);
		Duration leaseTime = request.terms().leaseTime();
		Duration validity = this.quorum.validity(answers, leaseTime)
			.minusNanos(System.nanoTime() - start)
			.minus(drift(leaseTime));
		if (validity.compareTo(Duration.ZERO) > 0) {
			this.granted.add(request);
			return new Grant(0, validity);
		}
		wanted.set(false);
		boolean clean = compensate(request, answers, timeout);
		return this.quorum.denial(answers, clean);
	}

	private static Duration drift(Duration leaseTime) {
		return leaseTime.dividedBy(100).plus(DRIFT);
	}

	/**
	 * Release on all nodes, and wait for those that answered the attempt.
	 * @return whether no node is left that may have granted the lease, or may still grant
	 * it
	 */
	private boolean compensate(LeaseRequest request, List<NodeAnswer<Attempt>> answers, Duration timeout) {
		List<String> answering = answers.stream()
			.filter((answer) -> answer.value() != null)
			.map(NodeAnswer::node)
			.toList();
		Predicate<List<NodeAnswer<Boolean>>> allReleased = (
				released) -> released.stream().map(NodeAnswer::node).toList().containsAll(answering);
		List<NodeAnswer<Boolean>> released = callRelease(request, Duration.ZERO, timeout).await(allReleased,
				Deadline.after(timeout));
		return allReleased.test(released) && released.stream()
			.noneMatch((answer) -> answer.failure() != null && answering.contains(answer.node()));
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		if (leases.isEmpty()) {
			return new Renewal(Set.of(), Set.of());
		}
		List<LeaseRequest> extended = leases.stream().map(RedlockBackend::withDrift).toList();
		long start = System.nanoTime();
		long deadline = start + renewalTimeout(leases, timeout).toNanos();
		Map<RedlockNode, CompletableFuture<NodeAnswer<Renewal>>> calls = new LinkedHashMap<>();
		List<NodeAnswer<Renewal>> answers = QuorumCall
			.of(this.nodes, (node) -> calls.computeIfAbsent(node,
					(any) -> node.calls().callAsync(deadline, (backend, time) -> backend.renew(extended, time))))
			.await((some) -> this.quorum.decidesRenewal(some, leases), deadline);
		this.quorum.requireMajority(answers);
		Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
		Set<LeaseRequest> held = new HashSet<>();
		Set<LeaseRequest> lost = new HashSet<>();
		for (LeaseRequest lease : leases) {
			Duration leaseTime = lease.terms().leaseTime();
			if (this.quorum.isHeld(answers, lease) && elapsed.compareTo(leaseTime.minus(drift(leaseTime))) < 0) {
				held.add(lease);
			}
			else if (this.quorum.isLost(answers, lease)) {
				lost.add(lease);
				this.granted.remove(lease);
			}
		}
		calls.forEach((node, call) -> call.thenAccept((answer) -> restore(node, answer, held)));
		return new Renewal(held, lost);
	}

	/**
	 * Request leases of which a majority is held again from a node that has lost them,
	 * unless they are released meanwhile. Otherwise the failure of another node, however
	 * much later, would end them.
	 */
	private void restore(RedlockNode node, NodeAnswer<Renewal> answer, Set<LeaseRequest> held) {
		Set<LeaseRequest> lost = (answer.value() != null) ? answer.value().lost() : Set.of();
		held.stream()
			.filter(lost::contains)
			.forEach((lease) -> node.acquire(lease, Deadline.after(nodeTimeout(lease, this.nodeTimeout)),
					() -> this.granted.contains(lease)));
	}

	/**
	 * Return a lease extended by the drift, because the engine assumes the whole lease
	 * time less one percent.
	 */
	private static LeaseRequest withDrift(LeaseRequest lease) {
		return lease.withLeaseTime(lease.terms().leaseTime().plus(DRIFT));
	}

	private Duration renewalTimeout(Collection<LeaseRequest> leases, Duration timeout) {
		Duration enough = this.nodeTimeout.multipliedBy(1 + leases.size() / RENEWALS_PER_TIMEOUT);
		Duration longest = Durations.min(enough, timeout);
		for (LeaseRequest lease : leases) {
			longest = Durations.min(longest, lease.terms().leaseTime().dividedBy(LEASE_DIVISOR));
		}
		return longest;
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * It was held unless so many nodes had lost it that no majority is left. The release
	 * is retried in the background on nodes that do not respond.
	 */
	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		return releaseWithDelay(lease, Duration.ZERO, timeout);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * The release is retried in the background on nodes that do not respond, with the
	 * delay that remains by then.
	 */
	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		this.granted.remove(lease);
		Duration callTimeout = Durations.min(this.nodeTimeout, timeout);
		List<NodeAnswer<Boolean>> answers = callRelease(lease, delay, callTimeout).await(this.quorum::decidesRelease,
				Deadline.after(callTimeout));
		return this.quorum.wasHeld(answers);
	}

	private QuorumCall<Boolean> callRelease(LeaseRequest lease, Duration delay, Duration timeout) {
		long delayEndNanos = Deadline.after(delay);
		return QuorumCall.of(this.nodes, (node) -> node.release(lease, delayEndNanos, timeout));
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Returns the holders that a majority of the nodes returns. A held key waits for
	 * every node until the timeout of a node, because the first majority may include one
	 * that a renewal has not reached yet.
	 */
	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		long deadline = Deadline.after(Durations.min(this.nodeTimeout, timeout));
		List<NodeAnswer<List<LeaseHolder>>> answers = callAll(deadline, (backend, time) -> backend.inspect(key, time))
			.await(this.quorum::isFree, deadline);
		this.quorum.requireMajority(answers);
		return this.quorum.holders(answers);
	}

	/**
	 * {@inheritDoc}
	 * <p>
	 * Releases on all nodes that respond in time; on others the lease expires.
	 */
	@Override
	public boolean forceRelease(String key, LeaseHolder holder, Duration timeout) {
		long deadline = Deadline.after(Durations.min(this.nodeTimeout, timeout));
		List<NodeAnswer<Boolean>> answers = callAll(deadline,
				(backend, time) -> backend.forceRelease(key, holder, time))
			.await((some) -> some.size() == this.nodes.size(), deadline);
		return this.quorum.wasHeld(answers);
	}

	@Override
	public Duration probe(LeaseRequest request, Duration timeout) {
		long start = System.nanoTime();
		long deadline = start + Durations.min(this.nodeTimeout.multipliedBy(PROBE_CALLS), timeout).toNanos();
		// all nodes, because each may be a duplicate
		List<NodeAnswer<Duration>> answers = callAll(deadline, (backend, time) -> backend.probe(request, time))
			.await((some) -> false, deadline);
		this.identities.requireNoDuplicate();
		this.quorum.requireMajorityReachable(answers);
		return Duration.ofNanos(System.nanoTime() - start);
	}

	@Override
	public String address() {
		return this.nodes.stream().map(RedlockNode::name).collect(Collectors.joining(", "));
	}

	@Override
	public List<String> warnings() {
		List<String> warnings = new ArrayList<>(ownWarnings());
		this.nodes.forEach((node) -> warnings.addAll(node.warnings()));
		return List.copyOf(warnings);
	}

	private List<String> ownWarnings() {
		List<String> warnings = new ArrayList<>();
		warnings
			.add("Redlock has no fencing tokens, and relies on clocks that run at the same rate and on servers that do"
					+ " not become available again after a restart before their leases have expired");
		if (this.nodes.size() < 3) {
			warnings
				.add("Redlock with " + this.nodes.size() + " nodes is unavailable when one of them fails: use 3 or 5");
		}
		else if (this.nodes.size() % 2 == 0) {
			warnings.add("Redlock with " + this.nodes.size() + " nodes tolerates no more failures than with "
					+ (this.nodes.size() - 1) + ": use an odd number");
		}
		return warnings;
	}

	@Override
	public void close() {
		CompletableFuture
			.allOf(this.nodes.stream()
				.map((node) -> node.calls().close(this.nodeTimeout))
				.toArray(CompletableFuture<?>[]::new))
			.join();
	}

	@Override
	public LockBackend reopened() {
		return new RedlockBackend(this.source, this.nodeTimeout, this.startTimeout);
	}

	/**
	 * Return the largest number of leases with calls in progress on a node, for tests.
	 */
	int callsInProgress() {
		return this.nodes.stream().mapToInt(RedlockNode::leases).max().orElse(0);
	}

}
