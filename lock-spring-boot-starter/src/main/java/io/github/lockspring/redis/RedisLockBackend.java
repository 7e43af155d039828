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

package io.github.lockspring.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.PermitLimitException;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.support.Deadline;

/**
 * {@link LockBackend} in Redis: one server, Sentinel or Cluster.
 * <ol>
 * <li>Every call is one run of a script, on one server, by that server's clock.</li>
 * <li>A contender that is denied enters the queue in the same run. A release grants the
 * lease to the head of the queue, and notifies its process, on a separate channel, in the
 * same run.</li>
 * <li>Such a grant expires after a second unless it is renewed or requested. A periodic
 * run of a script keeps the queue entries of all contenders of a process, and finds those
 * that may retry. A lost message, or a contender whose process has ended, delays others
 * no longer than until then.</li>
 * <li>Fencing tokens are the server's microseconds, or one more than the last token if
 * the clock is behind it, so that they increase even if the server lost the last
 * one.</li>
 * </ol>
 * A server with replicas may lose a grant in a failover to a replica. Thread-safe.
 */
public final class RedisLockBackend implements LockBackend {

	private static final Log logger = LogFactory.getLog(RedisLockBackend.class);

	/**
	 * Maximum number of leases renewed in one run of a script, and of their keys, so that
	 * it does not block the server for long.
	 */
	private static final int RENEWALS_PER_CALL = 250;

	/**
	 * Maximum number of contenders polled in one run of a script.
	 */
	private static final int POLLED_PER_CALL = 500;

	private static final byte[] NOTHING = {};

	private final Supplier<RedisClientAdapter> clients;

	private final RedisLockSettings settings;

	private final RedisClientAdapter client;

	private final RedisCalls calls;

	private final RedisWarnings warnings;

	private final RedisRequests requests = new RedisRequests();

	private final RedisValueBackend values;

	private final RedisContenders contenders;

	/**
	 * Flags of the queue entries of contenders.
	 */
	private final String queueFlags;

	private final byte @Nullable [] ordinaryTry;

	private final byte[] fairTry;

	private volatile byte[] ordinaryQueueing;

	/**
	 * Create a backend.
	 * @param factory the application's connections, of Lettuce or Jedis, whose settings
	 * are used for dedicated connections
	 * @param settings the settings
	 */
	public RedisLockBackend(RedisConnectionFactory factory, RedisLockSettings settings) {
		this(() -> RedisClientAdapters.of(factory, settings.operationTimeout()), settings);
	}

	RedisLockBackend(Supplier<RedisClientAdapter> clients, RedisLockSettings settings) {
		this.clients = clients;
		RedisClientAdapter client = clients.get();
		this.client = client;
		this.calls = new RedisCalls(client, settings);
		this.warnings = new RedisWarnings(client, settings);
		this.settings = settings;
		this.values = new RedisValueBackend(client, this.calls, this.requests::channel);
		this.contenders = new RedisContenders(this.calls, this.requests, this.values, settings.operationTimeout());
		this.ordinaryTry = client.isCluster() ? RedisCall.arg("c") : null;
		this.fairTry = RedisCall.arg(client.isCluster() ? "fc" : "f");
		this.queueFlags = "q" + (client.isCluster() ? "c" : "") + ((settings.waitReplicas() > 0) ? "h" : "");
		this.ordinaryQueueing = RedisCall.arg(this.queueFlags + ' ' + this.requests.channel());
	}

	@Override
	public String name() {
		return "redis";
	}

	@Override
	public Set<Capability> capabilities() {
		Set<Capability> capabilities = EnumSet.allOf(Capability.class);
		if (this.client.isCluster()) {
			capabilities.remove(Capability.MULTI_KEY);
		}
		return capabilities;
	}

	@Override
	public void identify(String instance, ProcessName name) {
		this.requests.identify(instance, name);
		this.ordinaryQueueing = RedisCall.arg(this.queueFlags + ' ' + this.requests.channel());
	}

	@Override
	public void start(BackendListener listener) {
		this.contenders.setListener(listener);
		this.client.start(this.contenders, this.settings.operationTimeout());
		this.warnings.refresh();
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		return attempt(request, request.terms().fair() ? this.fairTry : this.ordinaryTry, timeout);
	}

	@Override
	public Attempt contend(LeaseRequest request, Duration timeout) {
		byte[] queueing = queueing(request);
		boolean waiting = this.contenders.add(request);
		try {
			Attempt attempt = attempt(request, queueing, timeout);
			waiting = !(attempt instanceof Grant);
			return attempt;
		}
		catch (OutcomeUnknownException ex) {
			waiting = true; // it may be queued until it is released
			throw ex;
		}
		catch (IllegalArgumentException ex) {
			waiting = false;
			throw ex;
		}
		finally {
			if (!waiting) {
				this.contenders.remove(request);
			}
		}
	}

	/**
	 * Return the flags and the channel of the queue entry of a request.
	 */
	private byte[] queueing(LeaseRequest request) {
		boolean listening = this.client.isListening();
		if (listening && !request.terms().fair()) {
			return this.ordinaryQueueing;
		}
		return RedisCall.arg((request.terms().fair() ? "f" : "") + this.queueFlags
				+ (listening ? ' ' + this.requests.channel() : ""));
	}

	private Attempt attempt(LeaseRequest request, byte @Nullable [] how, Duration timeout) {
		// a process that receives no messages cannot be asked to release a lease
		boolean recallable = request.terms().recallable() && this.client.isListening();
		RedisCall call = this.requests.acquire(request, recallable, how);
		RedisReply reply = this.calls.run(this.calls.acknowledged(call), timeout);
		long token = reply.number(0);
		if (token > 0) {
			String missing = this.calls.missingAcknowledgements(reply);
			if (missing != null) {
				throw notAcknowledged(request, missing, timeout);
			}
			return new Grant(token, request.terms().leaseTime(), recallable && reply.size() == 1);
		}
		if (token < 0) {
			throw new PermitLimitException((LeaseMode.Permits) request.terms().mode(), (int) reply.number(1),
					reply.number(2));
		}
		return new Denial(Duration.ofMillis(reply.number(1)), reply.number(2), reply.size() > 3);
	}

	/**
	 * Release a grant that too few replicas have acknowledged.
	 */
	private BackendException notAcknowledged(LeaseRequest request, String message, Duration timeout) {
		try {
			release(request, timeout);
			return new BackendUnavailableException(message, null);
		}
		catch (BackendException ex) {
			return new OutcomeUnknownException(message, ex);
		}
	}

	@Override
	public Map<LeaseRequest, Denial> poll(Collection<LeaseRequest> waiting, Duration timeout) {
		byte[] channel = this.client.isListening() ? RedisCall.arg(this.requests.channel()) : NOTHING;
		Map<LeaseRequest, Denial> denials = new HashMap<>();
		this.calls.runInBatches(waiting, POLLED_PER_CALL, (batch) -> this.requests.poll(batch, channel), timeout,
				(batch, reply) -> addDenials(batch, reply, denials));
		return denials;
	}

	private static void addDenials(List<LeaseRequest> batch, RedisReply reply, Map<LeaseRequest, Denial> denials) {
		for (int i = 0; i < batch.size(); i++) {
			long millis = reply.number(i + 1);
			if (millis >= 0) {
				denials.put(batch.get(i), new Denial(Duration.ofMillis(millis), reply.number(0)));
			}
		}
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		Set<LeaseRequest> held = new HashSet<>();
		Set<LeaseRequest> lost = new HashSet<>();
		this.calls.runInBatches(leases, RENEWALS_PER_CALL, this.requests::renewal, timeout, (batch, reply) -> {
			for (int i = 0; i < batch.size(); i++) {
				((reply.number(i) == 1) ? held : lost).add(batch.get(i));
			}
		});
		return new Renewal(held, lost);
	}

	@Override
	public int renewalBatchSize() {
		return RENEWALS_PER_CALL;
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		this.contenders.remove(lease);
		return this.calls.run(this.requests.release(lease), timeout).number(0) == 1;
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		this.contenders.remove(lease);
		return this.calls.run(this.requests.delayedRelease(lease, delay), timeout).number(0) == 1;
	}

	@Override
	public void declineRecall(LeaseRequest lease, Duration timeout) {
		this.calls.run(this.requests.declinedRecall(lease), timeout);
	}

	@Override
	public Attempt downgrade(LeaseRequest held, LeaseRequest weaker, Duration timeout) {
		long token = this.calls.run(this.requests.downgrade(held, weaker), timeout).number(0);
		return (token > 0) ? new Grant(token, weaker.terms().leaseTime()) : Denial.UNKNOWN_DURATION;
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		RedisReply reply = this.calls.run(new RedisCall(RedisScript.INSPECT, new byte[][] { RedisKeys.of(key) }),
				timeout);
		return reply.texts().stream().map(RedisOwners::holder).toList();
	}

	@Override
	public List<LeaseWaiter> inspectQueue(String key, Duration timeout) {
		RedisReply reply = this.calls.run(new RedisCall(RedisScript.INSPECT_QUEUE, new byte[][] { RedisKeys.of(key) }),
				timeout);
		return reply.texts().stream().map(RedisOwners::waiter).toList();
	}

	@Override
	public boolean forceRelease(String key, LeaseHolder holder, Duration timeout) {
		RedisCall call = new RedisCall(RedisScript.FORCE_RELEASE, new byte[][] { RedisKeys.of(key) },
				RedisCall.arg(RedisOwners.ownerOf(holder)), RedisCall.arg(RedisOwners.channelOf(holder)),
				RedisOwners.lossOf(holder, key).getBytes(StandardCharsets.UTF_8));
		return this.calls.run(call, timeout).number(0) == 1;
	}

	@Override
	public Duration probe(LeaseRequest request, Duration timeout) {
		byte[][] channel = this.client.isListening() ? new byte[][] { RedisCall.arg(RedisOwners.channelOf("probe")) }
				: new byte[0][];
		long deadline = Deadline.after(timeout);
		this.warnings.refresh();
		List<String> rejected = this.calls
			.runText(new RedisCall(RedisScript.PROBE, RedisKeys.of(request), channel), timeout)
			.texts();
		if (!rejected.isEmpty()) {
			throw new BackendUnavailableException("Redis rejected commands that locks need for the key '"
					+ request.key() + "': " + String.join("; ", rejected), null);
		}
		return LockBackend.super.probe(request, Deadline.remaining(deadline));
	}

	@Override
	public Optional<ValueBackend> values() {
		return Optional.of(this.values);
	}

	@Override
	public String address() {
		return this.client.address();
	}

	@Override
	public List<String> warnings() {
		return this.warnings.all();
	}

	/**
	 * Return the server information of each server that has keys.
	 * @param timeout the timeout of the calls
	 * @return the answers to {@code INFO}
	 */
	public List<String> info(Duration timeout) {
		return this.client.info(timeout);
	}

	@Override
	public void close() {
		this.contenders.setListener(BackendListener.NONE);
		leaveQueues(Deadline.after(this.settings.operationTimeout()));
		disconnect();
	}

	/**
	 * Leave all queues, in parallel where the client supports that.
	 */
	private void leaveQueues(long deadline) {
		List<CompletableFuture<?>> departures = new ArrayList<>();
		for (LeaseRequest contender : this.contenders.all()) {
			long remaining = deadline - System.nanoTime();
			if (remaining > 0) {
				departures.add(this.calls.runAsync(this.requests.release(contender), Duration.ofNanos(remaining)));
			}
		}
		try {
			CompletableFuture.allOf(departures.toArray(CompletableFuture<?>[]::new))
				.get(Deadline.remainingNanos(deadline), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Could not remove all queue entries in Redis", ex);
		}
	}

	@Override
	public LockBackend reopened() {
		return new RedisLockBackend(this.clients, this.settings);
	}

	void disconnect() {
		this.client.close();
	}

}
