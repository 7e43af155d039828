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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.redis.RedisErrorReply;
import io.github.lockspring.simulator.redis.RedisListener;
import io.github.lockspring.simulator.redis.RedisModel;
import io.github.lockspring.simulator.redis.RedisNetwork;
import io.github.lockspring.simulator.redis.RedisNetwork.Connection;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;

/**
 * {@link RedisClientAdapter} for a {@link RedisModel} behind a {@link RedisNetwork}. Like
 * the other adapters, it never repeats a call, restores a lost subscription, and checks
 * an idle one. Does not wait for replicas. Thread-safe if the network is.
 */
public final class ModelRedisClient implements RedisClientAdapter {

	private static final long PING_INTERVAL = TimeUnit.SECONDS.toNanos(5);

	private static final long PING_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

	private final RedisNetwork network;

	private final TokenLead lead = new TokenLead();

	private volatile @Nullable RedisChannel channel;

	private volatile @Nullable Subscription subscription;

	private volatile boolean closed;

	/**
	 * Create a client.
	 * @param network the way to the server
	 */
	public ModelRedisClient(RedisNetwork network) {
		this.network = network;
	}

	/**
	 * Create a backend.
	 * @param settings the settings
	 * @return the backend, to be started
	 */
	public RedisLockBackend backend(RedisLockSettings settings) {
		return new RedisLockBackend(() -> this.closed ? new ModelRedisClient(this.network) : this, settings);
	}

	/**
	 * Store the time of failovers on the server, as with sentinels.
	 */
	public void keepTimeOfFailovers() {
		this.lead.keep();
	}

	/**
	 * Handle a failover: the network leads to another server from now on. Tokens lead its
	 * clock for a minute.
	 */
	public void failOver() {
		this.lead.begin(Duration.ZERO);
		channel().failedOver();
		reconnect();
	}

	private RedisChannel channel() {
		RedisChannel channel = this.channel;
		if (channel == null) {
			throw new IllegalStateException("The client is not started");
		}
		return channel;
	}

	@Override
	public void start(RedisChannel channel, Duration timeout) {
		this.channel = channel;
		reconnect();
	}

	/**
	 * Replace the subscription.
	 */
	private synchronized void reconnect() {
		Subscription former = this.subscription;
		if (former != null) {
			former.leave();
		}
		if (!this.closed) {
			this.subscription = new Subscription(channel(), this.network.nanoTime());
			this.subscription.begin();
		}
	}

	/**
	 * Return whether the subscription is active, as far as is known. Tries again if the
	 * last attempt failed.
	 */
	@Override
	public boolean isListening() {
		Subscription subscription = this.subscription;
		if (subscription == null || this.closed) {
			return false;
		}
		if (subscription.isLost(this.network.nanoTime())) {
			reconnect();
			return false;
		}
		return subscription.active;
	}

	@Override
	public String address() {
		return "model";
	}

	@Override
	public boolean isCluster() {
		return false;
	}

	@Override
	public TokenLead lead() {
		return this.lead;
	}

	@Override
	public CompletableFuture<RedisReply> send(RedisCall call, boolean byText, Duration timeout) {
		if (this.closed) {
			return CompletableFuture.failedFuture(new BackendUnavailableException("The client is closed", null));
		}
		String[] words = words(call, byText);
		return this.network.exchange(connection(call), (server) -> reply(server.command(words)));
	}

	private static Connection connection(RedisCall call) {
		return call.isRenewal() ? Connection.RENEWALS : Connection.CALLS;
	}

	private static String[] words(RedisCall call, boolean byText) {
		byte[][] keys = call.keys();
		byte[][] args = call.args();
		String[] words = new String[3 + keys.length + args.length];
		words[0] = byText ? "EVAL" : "EVALSHA";
		words[1] = text(call.script(byText));
		words[2] = Integer.toString(keys.length);
		for (int i = 0; i < keys.length; i++) {
			words[3 + i] = text(keys[i]);
		}
		for (int i = 0; i < args.length; i++) {
			words[3 + keys.length + i] = text(args[i]);
		}
		return words;
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private static RedisReply reply(@Nullable Object answer) {
		RedisReply reply = new RedisReply();
		add(reply, answer);
		return reply;
	}

	private static void add(RedisReply reply, @Nullable Object answer) {
		if (answer instanceof Long number) {
			reply.add(number);
		}
		else if (answer instanceof List<?> list) {
			list.forEach((element) -> add(reply, element));
		}
		else {
			reply.add((answer instanceof String text) ? text : "");
		}
	}

	@Override
	public void execute(Runnable task) {
		task.run();
	}

	@Override
	public List<String> info(Duration timeout) {
		try {
			CompletableFuture<String> info = this.network.exchange(Connection.CALLS,
					(server) -> String.valueOf(server.command("INFO")));
			return List.of(info.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BackendUnavailableException("Interrupted while waiting for the answer of Redis", ex);
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new BackendUnavailableException("Redis did not report its configuration", ex);
		}
	}

	@Override
	public void suspect(RedisCall call) {
		this.network.replace(connection(call));
	}

	@Override
	public @Nullable BackendException translate(Throwable failure) {
		if (failure instanceof RedisErrorReply) {
			return RedisErrors.of(failure.getMessage(), failure);
		}
		return new OutcomeUnknownException("Redis is not reachable: " + failure.getMessage(), failure);
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		Subscription subscription = this.subscription;
		if (subscription != null) {
			subscription.leave();
		}
	}

	/**
	 * Subscription to the channel, on one connection.
	 */
	private final class Subscription implements RedisListener {

		private final RedisChannel channel;

		private volatile boolean active;

		private volatile boolean lost;

		private volatile long pingedNanos;

		private volatile @Nullable CompletableFuture<?> ping;

		Subscription(RedisChannel channel, long now) {
			this.channel = channel;
			this.pingedNanos = now;
		}

		void begin() {
			this.ping = exchange(true).whenComplete((answer, failure) -> {
				if (failure != null) {
					this.lost = true;
				}
				else if (!this.lost) {
					this.active = true;
					this.channel.listening();
				}
			});
		}

		private CompletableFuture<Boolean> exchange(boolean first) {
			return ModelRedisClient.this.network.exchange(Connection.MESSAGES, (server) -> {
				if (first) {
					server.command("PING"); // fails if the server rejects commands
					server.subscribe(this.channel.name(), this);
				}
				else if (!server.isSubscribed(this)) {
					throw new RedisErrorReply("ERR the connection is closed");
				}
				return true;
			});
		}

		/**
		 * Return whether the connection is lost. One that is idle is checked from time to
		 * time.
		 */
		boolean isLost(long now) {
			CompletableFuture<?> ping = this.ping;
			long elapsed = now - this.pingedNanos;
			if (this.lost
					|| (ping != null && (ping.isDone() ? ping.isCompletedExceptionally() : elapsed > PING_TIMEOUT))) {
				return true;
			}
			if (elapsed > PING_INTERVAL) {
				this.pingedNanos = now;
				this.ping = exchange(false);
			}
			return false;
		}

		/**
		 * Leave the connection, whether or not the server notices.
		 */
		void leave() {
			this.lost = true;
			this.active = false;
			ModelRedisClient.this.network.exchange(Connection.MESSAGES, (server) -> {
				server.unsubscribe(this);
				return true;
			});
		}

		@Override
		public void message(String text) {
			ModelRedisClient.this.network.deliver(() -> {
				if (!this.lost) {
					this.channel.message(text);
				}
			});
		}

		@Override
		public void closed() {
			ModelRedisClient.this.network.deliver(() -> {
				if (!this.lost) {
					this.lost = true;
					reconnect();
				}
			});
		}

	}

}
