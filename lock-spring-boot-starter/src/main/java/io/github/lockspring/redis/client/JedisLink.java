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

package io.github.lockspring.redis.client;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.RedisInputStream;

import io.github.lockspring.support.Deadline;

/**
 * Single connection, which is not reopened when it was lost, and on which every reply has
 * a deadline.
 */
final class JedisLink extends Connection {

	/**
	 * Stands for a message that did not come.
	 */
	private static final Object SILENCE = new Object();

	/**
	 * How long after its deadline a call is cut off. Before that, reading ends by itself;
	 * writing does not.
	 */
	private static final long GRACE_NANOS = Duration.ofMillis(100).toNanos();

	private final HostAndPort address;

	private final int epoch;

	private final boolean made;

	private boolean silenceAllowed;

	private boolean pinged;

	private boolean busy;

	private long deadline;

	private long usedNanos = System.nanoTime();

	/**
	 * Connect and log in.
	 * @param address where the server is
	 * @param config how to connect, and with which timeouts
	 * @param epoch the epoch of the links to which this one belongs
	 */
	JedisLink(HostAndPort address, JedisClientConfig config, int epoch) {
		super(address, config);
		this.address = address;
		this.epoch = epoch;
		this.made = true;
	}

	HostAndPort address() {
		return this.address;
	}

	int epoch() {
		return this.epoch;
	}

	/**
	 * The superclass would connect again when a command finds the connection closed.
	 */
	@Override
	public void connect() {
		if (!this.made) {
			super.connect();
		}
		else if (!isConnected()) {
			throw new JedisConnectionException("The connection is closed");
		}
	}

	/**
	 * Start a call, which is cut off some time after its deadline.
	 */
	synchronized void begin(long deadline) {
		this.busy = true;
		this.deadline = deadline;
	}

	synchronized void end() {
		this.busy = false;
		this.usedNanos = System.nanoTime();
	}

	long idleNanos() {
		return System.nanoTime() - this.usedNanos;
	}

	void cutIfOverdue() {
		boolean overdue;
		synchronized (this) {
			overdue = this.busy && System.nanoTime() - this.deadline > GRACE_NANOS;
			if (overdue) {
				setBroken();
			}
		}
		if (overdue) {
			cut();
		}
	}

	/**
	 * Close the connection, even if it is in use.
	 */
	void cut() {
		try {
			forceDisconnect();
		}
		catch (IOException ex) {
			// it is of no use any more
		}
	}

	void send(CommandArguments command) {
		sendCommand(command);
		flush();
	}

	@Override
	public void flush() {
		super.flush();
	}

	/**
	 * Read the reply to a call.
	 * @throws JedisException if it is an error, or does not come in time
	 */
	RedisReply readReply(long deadline) {
		try {
			return JedisMessages.reply(read(deadline));
		}
		catch (JedisDataException ex) {
			if (RedisErrors.isOutdatedPrimary(ex.getMessage())
					|| String.valueOf(ex.getMessage()).startsWith("NOAUTH")) {
				setBroken(); // the server, or its login, is not what it was
			}
			throw ex;
		}
		catch (RuntimeException ex) {
			setBroken();
			throw ex;
		}
	}

	/**
	 * Read a reply.
	 * @throws JedisConnectionException if it does not come in time, after which the
	 * connection is broken
	 */
	Object read(long deadline) {
		long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
		setSoTimeout((int) Math.min(Math.max(millis, 1), Integer.MAX_VALUE));
		return readProtocolWithCheckingBroken();
	}

	/**
	 * Ask the server whether it takes writes. One that does not permit the question does
	 * so as far as is known.
	 */
	boolean isPrimary(long deadline) {
		try {
			send(new CommandArguments(Protocol.Command.ROLE));
			return !(read(deadline) instanceof List<?> words && words.get(0) instanceof byte[] role)
					|| RedisErrors.isPrimary(JedisMessages.text(role));
		}
		catch (JedisDataException ex) {
			return true;
		}
	}

	/**
	 * Subscribe to channels.
	 */
	void subscribe(List<String> channels, long deadline) {
		CommandArguments subscribe = new CommandArguments(Protocol.Command.SUBSCRIBE);
		channels.forEach(subscribe::add);
		send(subscribe);
		for (int i = 0; i < channels.size(); i++) {
			read(deadline);
		}
	}

	/**
	 * Read a message. If none arrived in time, the server is asked for a sign of life.
	 * @return the message, or {@code null} if none began to arrive in time
	 * @throws JedisConnectionException if the server did not answer the last time either
	 */
	@Nullable Object readMessage(Duration timeout) {
		this.silenceAllowed = true;
		Object message = read(Deadline.after(timeout));
		if (message != SILENCE) {
			this.pinged = false;
			return message;
		}
		if (this.pinged) {
			throw new JedisConnectionException("No answer to PING");
		}
		this.pinged = true;
		send(new CommandArguments(Protocol.Command.PING));
		return null;
	}

	@Override
	protected Object protocolRead(RedisInputStream in) {
		return (this.silenceAllowed && isSilent(in)) ? SILENCE : super.protocolRead(in);
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

}
