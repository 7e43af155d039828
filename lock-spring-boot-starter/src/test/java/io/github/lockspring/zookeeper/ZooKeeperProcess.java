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
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.curator.framework.CuratorFramework;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that uses the backend directly: its client, its requests, its notifications.
 */
final class ZooKeeperProcess implements AutoCloseable, BackendListener {

	static final Duration LEASE_TIME = Duration.ofSeconds(30);

	/**
	 * Long enough for a machine that has much else to do.
	 */
	static final Duration TIMEOUT = Duration.ofSeconds(30);

	final BlockingQueue<LeaseRequest> granted = new LinkedBlockingQueue<>();

	/**
	 * The attempt ids of the denials that grants follow.
	 */
	final Map<LeaseRequest, Long> attemptIds = new ConcurrentHashMap<>();

	final BlockingQueue<LeaseRequest> hints = new LinkedBlockingQueue<>();

	final BlockingQueue<LeaseRequest> lost = new LinkedBlockingQueue<>();

	final BlockingQueue<String> changed = new LinkedBlockingQueue<>();

	/**
	 * Whether the backend knows that it is disconnected, later than the client does.
	 */
	volatile boolean suspended;

	final CuratorFramework client;

	final ZooKeeperLockBackend backend;

	private final String instance = OwnerId.newInstance();

	private final AtomicLong sequence = new AtomicLong();

	/**
	 * Uses a client, which it closes at the end.
	 */
	ZooKeeperProcess(CuratorFramework client, ZooKeeperLockSettings settings) {
		this(client, new ZooKeeperLockBackend(client, settings));
	}

	ZooKeeperProcess(CuratorFramework client, ZooKeeperLockBackend backend) {
		this.client = client;
		this.backend = backend;
		this.backend.start(this);
	}

	static ZooKeeperProcess on(String connectString) {
		return new ZooKeeperProcess(Clients.create(connectString), Clients.SETTINGS);
	}

	static ConditionFactory await() {
		return Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(10))
			.atMost(Duration.ofMinutes(1));
	}

	LeaseRequest request(String key) {
		return request(key, LeaseMode.EXCLUSIVE);
	}

	LeaseRequest request(String key, LeaseMode mode) {
		return request(key, mode, 1);
	}

	LeaseRequest request(String key, LeaseMode mode, int tokens) {
		return request(key, new LeaseTerms(mode, false, LEASE_TIME, tokens));
	}

	LeaseRequest recallableRequest(String key) {
		return request(key, new LeaseTerms(LeaseMode.EXCLUSIVE, false, LEASE_TIME, 1, true));
	}

	private LeaseRequest request(String key, LeaseTerms terms) {
		return new LeaseRequest(key, terms, this.instance, this.sequence.incrementAndGet());
	}

	LeaseRequest request(List<String> keys) {
		return new LeaseRequest(keys, new LeaseTerms(LeaseMode.EXCLUSIVE, false, LEASE_TIME, 1),
				new OwnerId(this.instance, this.sequence.incrementAndGet()));
	}

	Attempt tryAcquire(LeaseRequest request) {
		return this.backend.tryAcquire(request, TIMEOUT);
	}

	LeaseRequest acquire(String key) {
		return acquire(request(key));
	}

	LeaseRequest acquire(LeaseRequest request) {
		grantOf(request);
		return request;
	}

	Grant grantOf(LeaseRequest request) {
		Attempt attempt = tryAcquire(request);
		assertThat(attempt).as("attempt of the " + request).isInstanceOf(Grant.class);
		return (Grant) attempt;
	}

	/**
	 * Takes a place in the queue, without being granted.
	 */
	LeaseRequest queue(LeaseRequest request) {
		assertThat(this.backend.contend(request, TIMEOUT)).as("attempt of the " + request).isInstanceOf(Denial.class);
		return request;
	}

	boolean release(LeaseRequest request) {
		return this.backend.release(request, TIMEOUT);
	}

	boolean renews(LeaseRequest lease) {
		return this.backend.renew(List.of(lease), TIMEOUT).held().contains(lease);
	}

	/**
	 * The next request that is granted without a request.
	 */
	@Nullable LeaseRequest nextGranted() {
		return next(this.granted);
	}

	@Nullable LeaseRequest nextLost() {
		return next(this.lost);
	}

	private static @Nullable LeaseRequest next(BlockingQueue<LeaseRequest> notifications) {
		try {
			return notifications.poll(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	ValueUpdate update(String key, ValueChange change) {
		return new ValueUpdate(key, change, new OwnerId(this.instance, this.sequence.incrementAndGet()));
	}

	ValueUpdateResult apply(String key, ValueChange change) {
		return apply(update(key, change));
	}

	ValueUpdateResult apply(ValueUpdate update) {
		return this.backend.values().orElseThrow().update(update, TIMEOUT);
	}

	Value read(String key, boolean watch) {
		return this.backend.values().orElseThrow().read(List.of(key), watch, TIMEOUT).getOrDefault(key, Value.ABSENT);
	}

	@Override
	public void onValueChanged(String key) {
		this.changed.add(key);
	}

	@Override
	public void onRetryHint(LeaseRequest request) {
		this.hints.add(request);
	}

	@Override
	public boolean onGranted(LeaseRequest request, Grant grant, long attemptId, Duration waited) {
		this.attemptIds.put(request, attemptId);
		this.granted.add(request);
		return true;
	}

	@Override
	public void onLost(LeaseRequest lease) {
		this.lost.add(lease);
	}

	@Override
	public void onSuspended() {
		this.suspended = true;
	}

	@Override
	public void onResumed() {
		this.suspended = false;
	}

	@Override
	public void close() {
		this.backend.close();
		this.client.close();
	}

}
