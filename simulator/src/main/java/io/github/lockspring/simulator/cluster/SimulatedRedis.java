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

package io.github.lockspring.simulator.cluster;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.redis.ModelRedisClient;
import io.github.lockspring.redis.RedisLockBackend;
import io.github.lockspring.redis.RedisLockSettings;
import io.github.lockspring.simulator.machine.Node;
import io.github.lockspring.simulator.machine.ReplyFuture;
import io.github.lockspring.simulator.redis.RedisModel;
import io.github.lockspring.simulator.redis.RedisNetwork;

/**
 * Redis at a server, with the scripts that ship.
 */
public final class SimulatedRedis implements SimulatedStore {

	private final Server server;

	private final Map<Node, ModelRedisClient> clients = new LinkedHashMap<>();

	private RedisModel model;

	private RedisModel remembered;

	private boolean failedOver;

	/**
	 * Create a server without data.
	 * @param server the server at which it is
	 */
	public SimulatedRedis(Server server) {
		this.server = server;
		this.model = new RedisModel(server.node()::currentTimeMicros);
		this.remembered = copy();
		server.onStop(() -> this.model.restart(true));
	}

	@Override
	public RedisLockBackend backend(Link link) {
		ModelRedisClient client = new ModelRedisClient(new LinkNetwork(link));
		if (this.failedOver) {
			client.keepTimeOfFailovers();
		}
		this.clients.put(link.client(), client);
		return client.backend(RedisLockSettings.defaults());
	}

	@Override
	public void remember() {
		this.remembered = copy();
	}

	@Override
	public void failOver() {
		this.failedOver = true;
		this.model = this.remembered;
		this.remembered = copy();
		this.clients.keySet().removeIf(Node::isDead);
		this.clients.forEach((node, client) -> node.executor().execute(() -> {
			client.keepTimeOfFailovers();
			client.failOver();
		}));
	}

	/**
	 * Return the validity of a grant by notification.
	 */
	@Override
	public Duration reservation(Duration leaseTime) {
		return Duration.ofMillis(Math.min(leaseTime.toMillis() / 3, 1000));
	}

	@Override
	public boolean hasSubscriptions() {
		return true;
	}

	@Override
	public void loseSubscriptions(boolean noticed) {
		if (noticed) {
			this.model.disconnectListeners();
		}
		else {
			this.model.forgetListeners();
		}
	}

	@Override
	public void forget() {
		this.model.restart(false);
	}

	private RedisModel copy() {
		return this.model.copy(this.server.node()::currentTimeMicros);
	}

	/**
	 * Connections of a process.
	 */
	private final class LinkNetwork implements RedisNetwork {

		private final Link link;

		private final Node node;

		private final Map<Connection, io.github.lockspring.simulator.cluster.Connection> connections = new EnumMap<>(
				Connection.class);

		private final Queue<Runnable> inbox = new ArrayDeque<>();

		LinkNetwork(Link link) {
			this.link = link;
			this.node = link.client();
		}

		@Override
		public <T> CompletableFuture<T> exchange(Connection connection, Function<RedisModel, T> atServer) {
			ReplyFuture<T> future = new ReplyFuture<>(this.node);
			boolean throwing = connection != Connection.MESSAGES;
			Call<T> call = new Call<>(this.link, connection(connection), (ended) -> arrive(future, ended, throwing));
			if (throwing) {
				this.link.mayThrow();
			}
			this.link.send(call, () -> atServer.apply(SimulatedRedis.this.model));
			if (throwing) {
				this.link.mayThrow();
			}
			return future;
		}

		private <T> void arrive(ReplyFuture<T> future, Call<T> ended, boolean throwing) {
			try {
				if (throwing) {
					this.link.mayThrow();
				}
				future.arrive(ended.reply(), translate(ended.failure()));
			}
			catch (ClientError ex) {
				future.arrive(null, ex);
			}
		}

		private io.github.lockspring.simulator.cluster.Connection connection(Connection connection) {
			return this.connections.computeIfAbsent(connection,
					(any) -> new io.github.lockspring.simulator.cluster.Connection(this.node.scheduler()));
		}

		private static @Nullable RuntimeException translate(@Nullable RuntimeException failure) {
			return (failure instanceof CallFailedException lost) ? lost.translate() : failure;
		}

		@Override
		public void deliver(Runnable event) {
			this.link.reply(connection(Connection.MESSAGES), () -> arrive(event));
		}

		/**
		 * Handle messages one after the other in a thread of the process.
		 */
		private void arrive(Runnable event) {
			this.inbox.add(event);
			if (this.inbox.size() == 1 && !this.node.isDead()) {
				this.node.executor().execute(this::handleMessages);
			}
		}

		private void handleMessages() {
			for (Runnable event = this.inbox.peek(); event != null; event = this.inbox.peek()) {
				event.run();
				this.inbox.remove();
			}
		}

		@Override
		public long nanoTime() {
			return this.node.nanoTime();
		}

		@Override
		public void replace(Connection connection) {
			this.connections.remove(connection);
		}

	}

}
