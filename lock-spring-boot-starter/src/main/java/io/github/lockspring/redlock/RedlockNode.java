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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.github.lockspring.redis.RedisLockBackend;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.ProcessName;

/**
 * One of the voting servers, with the leases of which calls are in progress.
 */
final class RedlockNode {

	/**
	 * Maximum time for which a call may be in the network.
	 */
	private static final long MEMORY_NANOS = Duration.ofMinutes(5).toNanos();

	private final String name;

	private final LockBackend backend;

	private final NodeCalls calls;

	private final ConcurrentMap<LeaseRequest, NodeLease> leases = new ConcurrentHashMap<>();

	/**
	 * Create a node.
	 * @param name the name in messages
	 * @param backend the locks of the server
	 * @param infos returns the server information, as
	 * {@link RedisLockBackend#info(Duration)} does
	 */
	RedlockNode(String name, LockBackend backend, Function<Duration, List<String>> infos) {
		this.name = name;
		this.backend = backend;
		this.calls = new NodeCalls(name, backend, infos);
	}

	String name() {
		return this.name;
	}

	List<String> warnings() {
		return this.backend.warnings().stream().map((warning) -> "Node '" + this.name + "': " + warning).toList();
	}

	void identify(String instance, ProcessName process) {
		this.backend.identify(instance, process);
	}

	/**
	 * Return the calls to the server.
	 */
	NodeCalls calls() {
		return this.calls;
	}

	/**
	 * Request a lease.
	 * @param request the request
	 * @param deadline the deadline of the answer
	 * @param wanted whether the attempt is still to be made after the preceding calls
	 */
	CompletableFuture<NodeAnswer<Attempt>> acquire(LeaseRequest request, long deadline, BooleanSupplier wanted) {
		return enter(request).acquire(deadline, wanted).whenComplete((answer, failure) -> leave(request));
	}

	/**
	 * Release a lease, in the background if the node does not respond.
	 * @param lease the request
	 * @param delayEndNanos the time at which others may acquire the lease
	 * @param timeout the timeout of one call
	 * @return the answer to the first call, which follows the calls in progress, or to
	 * the last of a release in progress
	 */
	CompletableFuture<NodeAnswer<Boolean>> release(LeaseRequest lease, long delayEndNanos, Duration timeout) {
		return enter(lease).release(delayEndNanos, timeout, () -> leave(lease));
	}

	private NodeLease enter(LeaseRequest request) {
		return this.leases.compute(request, (key, present) -> {
			NodeLease lease = (present != null) ? present : new NodeLease(this.calls, key);
			lease.calls++;
			return lease;
		});
	}

	/**
	 * Discard a lease without calls in progress, but keep one for a while of which a call
	 * may still be in the network.
	 */
	private void leave(LeaseRequest request) {
		this.leases.computeIfPresent(request, (key, lease) -> {
			lease.calls--;
			lease.endedNanos = System.nanoTime();
			if (lease.calls == 0 && lease.isInDoubt()) {
				long memory = MEMORY_NANOS + key.terms().leaseTime().toNanos();
				CompletableFuture.delayedExecutor(memory, TimeUnit.NANOSECONDS, Runnable::run)
					.execute(() -> forget(key, memory));
				return lease;
			}
			return (lease.calls == 0) ? null : lease;
		});
	}

	private void forget(LeaseRequest request, long memory) {
		this.leases.computeIfPresent(request,
				(key, lease) -> (lease.calls == 0 && System.nanoTime() - lease.endedNanos >= memory) ? null : lease);
	}

	int leases() {
		return this.leases.size();
	}

	@Override
	public String toString() {
		return this.name;
	}

}
