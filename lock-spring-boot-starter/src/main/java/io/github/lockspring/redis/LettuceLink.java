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

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

/**
 * {@link RedisLink} with a connection of Lettuce, whose threads read from it.
 */
final class LettuceLink implements RedisLink {

	/**
	 * Idle time after which the role of the server is checked with the next call.
	 */
	private static final long QUIET_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long PING_NANOS = Duration.ofSeconds(5).toNanos();

	private static final long MAX_SILENCE_NANOS = Duration.ofSeconds(2).toNanos();

	private final StatefulConnection<byte[], byte[]> connection;

	/**
	 * Time of the last call on any connection to the server.
	 */
	private final AtomicLong usedNanos;

	private volatile long pingedNanos = System.nanoTime();

	private volatile @Nullable CompletableFuture<?> ping;

	LettuceLink(StatefulConnection<byte[], byte[]> connection, AtomicLong usedNanos) {
		this.connection = connection;
		this.usedNanos = usedNanos;
	}

	/**
	 * Return whether the connection can be used. A broken connection for messages cannot
	 * be distinguished from an idle one; therefore it is checked from time to time.
	 */
	@Override
	public boolean isOpen() {
		return this.connection.isOpen()
				&& (!(this.connection instanceof StatefulRedisPubSubConnection<?, ?>) || isAnswering());
	}

	private boolean isAnswering() {
		long elapsed = System.nanoTime() - this.pingedNanos;
		CompletableFuture<?> ping = this.ping;
		if (ping != null && !ping.isDone() && elapsed > MAX_SILENCE_NANOS) {
			return false;
		}
		if (elapsed > PING_NANOS) {
			this.pingedNanos = System.nanoTime();
			this.ping = ask(this.pingedNanos, "PING");
		}
		return true;
	}

	@Override
	public CompletableFuture<RedisReply> send(RedisCall call, boolean byText, long deadline) {
		long now = System.nanoTime();
		boolean quiet = now - this.usedNanos.get() > QUIET_NANOS && call.replicas() == 0 && cluster() == null;
		this.usedNanos.set(now);
		CompletableFuture<Boolean> primary = quiet ? isPrimary(deadline) : null;
		CompletableFuture<RedisReply> reply = send(args(call, byText), byText ? CommandType.EVAL : CommandType.EVALSHA);
		return (primary != null) ? reply.thenCombine(primary, LettuceLink::requirePrimary) : reply;
	}

	private static RedisReply requirePrimary(RedisReply reply, boolean primary) {
		if (!primary) {
			throw new ReplicaException();
		}
		return reply;
	}

	private static CommandArgs<byte[], byte[]> args(RedisCall call, boolean byText) {
		byte[][] keys = call.keys();
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE).add(call.script(byText))
			.add(keys.length);
		for (byte[] key : keys) {
			args.addKey(key);
		}
		for (byte[] arg : call.args()) {
			args.add(arg);
		}
		return args;
	}

	private CompletableFuture<RedisReply> send(CommandArgs<byte[], byte[]> args, CommandType type) {
		AsyncCommand<byte[], byte[], RedisReply> command = new AsyncCommand<>(
				new Command<>(type, new ReplyOutput(), args));
		this.connection.dispatch(command);
		return command;
	}

	@Override
	public CompletableFuture<RedisReply> ask(long deadline, String... command) {
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
		for (int i = 1; i < command.length; i++) {
			args.add(command[i]);
		}
		return send(args, CommandType.valueOf(command[0]));
	}

	@Override
	public CompletableFuture<Boolean> isPrimary(long deadline) {
		return RedisErrors.isPrimary(ask(deadline, "ROLE"), RedisCommandExecutionException.class);
	}

	@Override
	public CompletableFuture<RedisReply> awaitReplicas(RedisCall call, long deadline) {
		StatefulRedisClusterConnection<byte[], byte[]> cluster = cluster();
		if (cluster == null) {
			return RedisLink.super.awaitReplicas(call, deadline);
		}
		RedisURI uri = cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(call.keys()[0])).getUri();
		return cluster.getConnectionAsync(uri.getHost(), uri.getPort())
			.thenCompose((own) -> new LettuceLink(own, this.usedNanos).awaitReplicas(call, deadline));
	}

	/**
	 * Return the connection to a cluster. Its connections for writing are those by host
	 * and port.
	 */
	private @Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster() {
		return (this.connection instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) ? cluster : null;
	}

	@Override
	public List<CompletableFuture<RedisReply>> info(long deadline) {
		StatefulRedisClusterConnection<byte[], byte[]> cluster = cluster();
		if (cluster == null) {
			return RedisLink.super.info(deadline);
		}
		return cluster.getPartitions()
			.stream()
			.filter((node) -> !node.getSlots().isEmpty())
			.map((node) -> cluster.getConnectionAsync(node.getNodeId())
				.thenCompose((own) -> new LettuceLink(own, this.usedNanos).ask(deadline, "INFO")))
			.toList();
	}

	@Override
	@SuppressWarnings("unchecked")
	public void subscribe(List<String> channels, Consumer<String> listener, Duration timeout) {
		StatefulRedisPubSubConnection<byte[], byte[]> messages = (StatefulRedisPubSubConnection<byte[], byte[]>) this.connection;
		messages.addListener(new RedisPubSubAdapter<>() {

			@Override
			public void message(byte[] channel, byte[] text) {
				listener.accept(new String(text, StandardCharsets.UTF_8));
			}

		});
		messages.sync().subscribe(channels.stream().map(RedisCall::arg).toArray(byte[][]::new));
	}

	void whenLost(Runnable lost) {
		this.connection.addListener(new RedisConnectionStateListener() {

			@Override
			public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
				lost.run();
			}

		});
	}

	/**
	 * Close the connection, unless Lettuce has done so when it was lost.
	 */
	@Override
	public void close() {
		if (!(this.connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed())) {
			this.connection.closeAsync();
		}
	}

	/**
	 * Collects a reply, whose parts are flat.
	 */
	private static final class ReplyOutput extends CommandOutput<byte[], byte[], RedisReply> {

		ReplyOutput() {
			super(ByteArrayCodec.INSTANCE, new RedisReply());
		}

		@Override
		public void set(long number) {
			this.output.add(number);
		}

		@Override
		public void set(ByteBuffer bytes) {
			this.output.add((bytes != null) ? StandardCharsets.UTF_8.decode(bytes).toString() : "");
		}

		@Override
		public void multi(int count) {
			// the parts follow
		}

	}

}
