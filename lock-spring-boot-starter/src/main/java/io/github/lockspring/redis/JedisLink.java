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

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.RedisInputStream;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.Deadline;

/**
 * {@link RedisLink} with a connection of Jedis. The threads that wait for replies read
 * them, which are received in the order of the commands.
 */
final class JedisLink extends Connection implements RedisLink {

	/**
	 * Marker for a reply that was not received.
	 */
	private static final Object SILENCE = new Object();

	/**
	 * Time after its deadline at which writing a call is aborted.
	 */
	private static final long GRACE_NANOS = Duration.ofMillis(100).toNanos();

	/**
	 * Idle time after which a connection is checked before it is used.
	 */
	private static final long TRUST_NANOS = Duration.ofSeconds(1).toNanos();

	/**
	 * Minimum time to read the rest of a reply that has begun.
	 */
	private static final int MIN_READ_MILLIS = 100;

	private final HostAndPort address;

	private final boolean connected;

	private final ReentrantLock writing = new ReentrantLock();

	private final LeaderFollowers readers = new LeaderFollowers(this::readOne);

	/**
	 * Replies to the commands that were sent. Guarded by itself.
	 */
	private final Queue<CompletableFuture<RedisReply>> pending = new ArrayDeque<>();

	private volatile @Nullable RuntimeException failure;

	private volatile @Nullable Consumer<String> listener;

	private volatile boolean busy;

	private volatile long deadline;

	private volatile long usedNanos = System.nanoTime();

	/**
	 * Connect and log in.
	 * @param address the address of the server
	 * @param config the configuration and timeouts of the connection
	 */
	JedisLink(HostAndPort address, JedisClientConfig config) {
		super(address, config);
		this.address = address;
		this.connected = true;
	}

	HostAndPort address() {
		return this.address;
	}

	long idleNanos() {
		return System.nanoTime() - this.usedNanos;
	}

	/**
	 * Prevent the superclass from connecting again when a command is sent on a closed
	 * connection.
	 */
	@Override
	public void connect() {
		if (!this.connected) {
			super.connect();
		}
		else if (!isConnected()) {
			throw new JedisConnectionException("The connection is closed");
		}
	}

	@Override
	public boolean isOpen() {
		return this.failure == null && !isBroken() && isConnected();
	}

	@Override
	public boolean isUsable(long deadline) {
		if (idleNanos() < TRUST_NANOS || isAwaited()) {
			return true;
		}
		long now = System.nanoTime();
		long half = now + (deadline - now) / 2; // the rest is for another connection
		CompletableFuture<Boolean> primary = isPrimary(half);
		drive(primary, half);
		boolean answered = primary.isDone() && !primary.isCompletedExceptionally();
		if (answered && primary.join()) {
			return true;
		}
		close();
		if (answered) {
			throw new ReplicaException();
		}
		return false;
	}

	@Override
	public CompletableFuture<RedisReply> send(RedisCall call, boolean byText, long deadline) {
		return send(JedisMessages.command(call, byText), deadline);
	}

	@Override
	public List<CompletableFuture<RedisReply>> sendAll(List<RedisCall> calls, long deadline) {
		List<CompletableFuture<RedisReply>> replies = new ArrayList<>(calls.size());
		beginWriting(deadline);
		try {
			for (RedisCall call : calls) {
				replies.add(write(JedisMessages.command(call, false), replies.size() == calls.size() - 1));
			}
			return replies;
		}
		finally {
			endWriting();
		}
	}

	/**
	 * Run a call for a slot that is being moved to the server.
	 */
	CompletableFuture<RedisReply> runAsking(RedisCall call, boolean byText, long deadline) {
		beginWriting(deadline);
		CompletableFuture<RedisReply> reply;
		try {
			write(new CommandArguments(Protocol.Command.ASKING), false);
			reply = write(JedisMessages.command(call, byText), true);
		}
		finally {
			endWriting();
		}
		return acknowledged(call, reply, deadline);
	}

	@Override
	public CompletableFuture<RedisReply> ask(long deadline, String... command) {
		CommandArguments arguments = new CommandArguments(Protocol.Command.valueOf(command[0]));
		for (int i = 1; i < command.length; i++) {
			arguments.add(command[i]);
		}
		return send(arguments, deadline);
	}

	@Override
	public CompletableFuture<Boolean> isPrimary(long deadline) {
		return RedisErrors.isPrimary(ask(deadline, "ROLE"), JedisDataException.class);
	}

	private CompletableFuture<RedisReply> send(CommandArguments command, long deadline) {
		try {
			beginWriting(deadline);
		}
		catch (BackendUnavailableException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		try {
			return write(command, true);
		}
		finally {
			endWriting();
		}
	}

	private void beginWriting(long deadline) {
		try {
			if (!this.writing.tryLock()
					&& !this.writing.tryLock(Deadline.remainingNanos(deadline), TimeUnit.NANOSECONDS)) {
				throw new BackendUnavailableException("Redis is not reachable: other calls are still being written",
						null);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new BackendUnavailableException("Interrupted while waiting for a connection", ex);
		}
		this.deadline = deadline;
		this.busy = true;
	}

	private void endWriting() {
		this.busy = false;
		this.writing.unlock();
	}

	/**
	 * Write a command.
	 * @param last whether no other command is written immediately after it
	 * @return the future reply
	 */
	private CompletableFuture<RedisReply> write(CommandArguments command, boolean last) {
		CompletableFuture<RedisReply> reply = new CompletableFuture<>();
		try {
			expect(reply);
			sendCommand(command);
			if (last) {
				flush();
			}
		}
		catch (RuntimeException ex) {
			fail(ex);
			reply.completeExceptionally(ex);
		}
		return reply;
	}

	private void expect(CompletableFuture<RedisReply> reply) {
		synchronized (this.pending) {
			if (this.failure != null) {
				throw this.failure;
			}
			this.pending.add(reply);
		}
	}

	/**
	 * Close the connection if the call that is being written is overdue.
	 */
	void closeIfOverdue() {
		if (this.busy && System.nanoTime() - this.deadline > GRACE_NANOS) {
			close();
		}
	}

	@Override
	public void drive(CompletableFuture<?> reply, long deadline) {
		this.readers.await(reply, deadline);
	}

	/**
	 * Read a reply or a message.
	 * @return {@code false} if none was received in time, or none is expected
	 */
	private boolean readOne(long deadline) {
		if (!isReplyExpected()) {
			return false;
		}
		try {
			long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
			setSoTimeout((int) Math.min(Math.max(millis, 1), Integer.MAX_VALUE));
			Object answer = readProtocolWithCheckingBroken();
			if (answer == SILENCE) {
				return false;
			}
			this.usedNanos = System.nanoTime();
			deliver(answer);
		}
		catch (JedisDataException ex) {
			this.usedNanos = System.nanoTime();
			if (String.valueOf(ex.getMessage()).startsWith("NOAUTH")) {
				setBroken(); // the login has changed
			}
			next().completeExceptionally(ex);
		}
		catch (RuntimeException ex) {
			fail(ex);
			return false;
		}
		return true;
	}

	/**
	 * Return whether a call waits for its reply, whose time the check would take.
	 */
	private boolean isAwaited() {
		synchronized (this.pending) {
			return this.pending.stream().anyMatch((reply) -> !reply.isDone());
		}
	}

	private boolean isReplyExpected() {
		synchronized (this.pending) {
			return !this.pending.isEmpty() || (this.listener != null && this.failure == null);
		}
	}

	private void deliver(Object answer) {
		Consumer<String> listener = this.listener;
		if (listener != null && answer instanceof List<?> words && words.size() == 3
				&& words.get(0) instanceof byte[] kind && words.get(2) instanceof byte[] text
				&& "message".equals(JedisMessages.text(kind))) {
			listener.accept(JedisMessages.text(text));
		}
		else {
			next().complete(JedisMessages.reply(answer));
		}
	}

	/**
	 * Return the future of the oldest command, a new one if it has failed.
	 */
	private CompletableFuture<RedisReply> next() {
		synchronized (this.pending) {
			CompletableFuture<RedisReply> next = this.pending.poll();
			return (next != null) ? next : new CompletableFuture<>();
		}
	}

	@Override
	protected Object protocolRead(RedisInputStream in) {
		if (!this.connected) {
			return super.protocolRead(in);
		}
		if (isSilent(in)) {
			return SILENCE;
		}
		if (getSoTimeout() < MIN_READ_MILLIS) {
			setSoTimeout(MIN_READ_MILLIS);
		}
		return super.protocolRead(in);
	}

	private static boolean isSilent(RedisInputStream in) {
		try {
			in.peek((byte) 0);
			return false;
		}
		catch (JedisConnectionException ex) {
			if (ex.getCause() instanceof SocketTimeoutException) {
				return true;
			}
			throw ex;
		}
	}

	@Override
	public void subscribe(List<String> channels, Consumer<String> listener, Duration timeout) {
		this.listener = listener;
		long deadline = Deadline.after(timeout);
		for (String channel : channels) {
			await(ask(deadline, "SUBSCRIBE", channel), deadline, "subscription");
		}
	}

	private void fail(RuntimeException ex) {
		List<CompletableFuture<RedisReply>> failed;
		synchronized (this.pending) {
			this.failure = (this.failure != null) ? this.failure : ex;
			failed = List.copyOf(this.pending);
			this.pending.clear();
		}
		setBroken();
		try {
			forceDisconnect();
		}
		catch (IOException ignored) {
			// the connection is not used again
		}
		failed.forEach((reply) -> reply.completeExceptionally(ex));
	}

	/**
	 * Close the connection, even if it is in use.
	 */
	@Override
	public void close() {
		fail(new JedisConnectionException("The connection is closed"));
	}

}
