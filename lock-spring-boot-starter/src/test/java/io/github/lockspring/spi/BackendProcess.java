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

package io.github.lockspring.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A backend as a process of the contract uses it: it makes requests, acquires and
 * releases, and records the notifications.
 */
final class BackendProcess implements AutoCloseable {

	static final Duration LEASE_TIME = Duration.ofSeconds(30);

	static final Duration TIMEOUT = Duration.ofSeconds(20);

	private final LockBackend backend;

	private final RecordingListener notifications = new RecordingListener();

	private final String instance = OwnerId.newInstance();

	private final ProcessName processName = new ProcessName("orders of ü/" + this.instance.substring(0, 8), "host-1",
			1);

	private final AtomicLong sequence = new AtomicLong();

	private volatile boolean closed;

	BackendProcess(LockBackend backend) {
		this.backend = backend;
		this.backend.identify(this.instance, this.processName);
		this.backend.start(this.notifications);
	}

	String name() {
		return this.backend.name();
	}

	ProcessName processName() {
		return this.processName;
	}

	boolean has(Capability capability) {
		return this.backend.capabilities().contains(capability);
	}

	LeaseRequest request(String key) {
		return request(key, LeaseMode.EXCLUSIVE);
	}

	LeaseRequest request(String key, LeaseMode mode) {
		return request(key, new LeaseTerms(mode, false, LEASE_TIME, 1));
	}

	LeaseRequest fairRequest(String key, LeaseMode mode) {
		return request(key, new LeaseTerms(mode, true, LEASE_TIME, 1));
	}

	LeaseRequest request(String key, LeaseTerms terms) {
		return new LeaseRequest(key, terms, this.instance, this.sequence.incrementAndGet());
	}

	LeaseRequest recallableRequest(String key) {
		return request(key, new LeaseTerms(LeaseMode.EXCLUSIVE, false, LEASE_TIME, 257, true));
	}

	LeaseRequest request(List<String> keys, int tokens) {
		return new LeaseRequest(keys.stream().sorted().toList(),
				new LeaseTerms(LeaseMode.EXCLUSIVE, false, LEASE_TIME, tokens),
				new OwnerId(this.instance, this.sequence.incrementAndGet()));
	}

	Attempt tryAcquire(LeaseRequest request) {
		return this.backend.tryAcquire(request, TIMEOUT);
	}

	boolean acquires(LeaseRequest request) {
		return tryAcquire(request) instanceof Grant;
	}

	Grant acquire(LeaseRequest request) {
		return granted(request, tryAcquire(request));
	}

	private static Grant granted(LeaseRequest request, Attempt attempt) {
		assertThat(attempt).as("attempt of the " + request).isInstanceOf(Grant.class);
		return (Grant) attempt;
	}

	LeaseRequest acquire(String key) {
		LeaseRequest request = request(key);
		acquire(request);
		return request;
	}

	/**
	 * Tries until granted, with pauses in which the others, and the store, have the
	 * processor.
	 */
	Grant spinUntilAcquired(LeaseRequest request) {
		long deadline = System.nanoTime() + LEASE_TIME.toNanos();
		Attempt attempt = tryAcquire(request);
		while (attempt instanceof Denial && System.nanoTime() - deadline < 0) {
			LockSupport.parkNanos(50_000);
			attempt = tryAcquire(request);
		}
		return granted(request, attempt);
	}

	/**
	 * Takes a place in the queue, without being granted.
	 * @param request the request that waits
	 * @return the request
	 */
	LeaseRequest queue(LeaseRequest request) {
		assertThat(contend(request)).as("attempt of the " + request).isInstanceOf(Denial.class);
		return request;
	}

	Attempt contend(LeaseRequest request) {
		return this.backend.contend(request, TIMEOUT);
	}

	Map<LeaseRequest, Denial> poll(LeaseRequest... waiting) {
		return this.backend.poll(List.of(waiting), TIMEOUT);
	}

	Set<LeaseRequest> renew(LeaseRequest... leases) {
		return this.backend.renew(List.of(leases), TIMEOUT).held();
	}

	void declineRecall(LeaseRequest lease) {
		this.backend.declineRecall(lease, TIMEOUT);
	}

	/**
	 * Waits for the recall of a lease.
	 * @param lease the granted request
	 */
	void awaitRecall(LeaseRequest lease) {
		BackendRules.await().until(() -> !this.notifications.recallsOf(lease).isEmpty());
	}

	Attempt downgrade(LeaseRequest exclusive, LeaseRequest shared) {
		return this.backend.downgrade(exclusive, shared, TIMEOUT);
	}

	boolean release(LeaseRequest lease) {
		this.notifications.reject(lease);
		return this.backend.release(lease, TIMEOUT);
	}

	boolean releaseAfter(LeaseRequest lease, Duration delay) {
		this.notifications.reject(lease);
		return this.backend.releaseWithDelay(lease, delay, TIMEOUT);
	}

	List<LeaseHolder> inspect(String key) {
		return this.backend.inspect(key, TIMEOUT);
	}

	List<LeaseWaiter> inspectQueue(String key) {
		return this.backend.inspectQueue(key, TIMEOUT);
	}

	boolean forceRelease(String key, LeaseHolder holder) {
		return this.backend.forceRelease(key, holder, TIMEOUT);
	}

	LockBackend backend() {
		return this.backend;
	}

	RecordingListener notifications() {
		return this.notifications;
	}

	/**
	 * Waits for a request in the queue to be granted, and asks again and again meanwhile.
	 * @param request the request that waits
	 * @return what was granted
	 */
	Grant awaitGrant(LeaseRequest request) {
		return BackendRules.await().until(() -> {
			Attempt attempt = contend(request);
			return (attempt instanceof Grant grant) ? grant : null;
		}, (grant) -> grant != null);
	}

	/**
	 * Waits for the notification that a request in the queue is granted, or may be tried
	 * again.
	 * @param request the request that waits
	 * @return what was granted
	 */
	Grant awaitNotification(LeaseRequest request) {
		BackendRules.await().until(() -> !this.notifications.of(request).isEmpty());
		return granted(request, contend(request));
	}

	boolean isClosed() {
		return this.closed;
	}

	@Override
	public void close() {
		this.closed = true;
		this.backend.close();
	}

}
