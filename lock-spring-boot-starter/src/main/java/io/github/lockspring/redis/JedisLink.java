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
 * Single connection that is not reopened after it was lost. Every reply has a deadline.
 */
final class JedisLink extends Connection {

	/**
	 * Marker for a message that was not received.
	 */
	private static final Object SILENCE = new Object();

	/**
	 * Time after its deadline at which a call is aborted. Reading ends at the deadline
	 * without that, but writing does not.
	 */
	private static final long GRACE_NANOS = Duration.ofMillis(100).toNanos();

	private final HostAndPort address;

	private final int epoch;

	private final boolean made;

	private boolean silenceAllowed;

	private boolean pinged;

	private boolean busy;

	private long deadline;

	/**
	 * Number of commands whose replies were not read.
	 */
	private int unanswered;

	private long usedNanos = System.nanoTime();

	/**
	 * Connect and log in.
	 * @param address the address of the server
	 * @param config the configuration and timeouts of the connection
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
	 * Prevent the superclass from connecting again when a command is sent on a closed
	 * connection.
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
	 * Start a call, which is aborted some time after its deadline.
	 */
	synchronized void begin(long deadline) {
		this.busy = true;
		this.deadline = deadline;
	}

	/**
	 * End a call. The connection is broken if the reply was not read, whatever the
	 * reason: it would be that to the next call.
	 */
	void endCall() {
		if (this.unanswered > 0) {
			setBroken();
		}
		end();
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
			// the connection is not used again
		}
	}

	void send(CommandArguments command) {
		write(command);
		flush();
	}

	void write(CommandArguments command) {
		this.unanswered++;
		sendCommand(command);
	}

	@Override
	public void flush() {
		super.flush();
	}

	/**
	 * Read the reply to a call.
	 * @throws JedisException if it is an error, or is not received in time
	 */
	RedisReply readReply(long deadline) {
		try {
			return JedisMessages.reply(read(deadline));
		}
		catch (JedisDataException ex) {
			if (RedisErrors.isOutdatedPrimary(ex.getMessage())
					|| String.valueOf(ex.getMessage()).startsWith("NOAUTH")) {
				setBroken(); // the role of the server, or the login, has changed
			}
			throw ex;
		}
	}

	/**
	 * Read a reply.
	 * @throws JedisConnectionException if it is not received in time, after which the
	 * connection is broken
	 */
	Object read(long deadline) {
		long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
		setSoTimeout((int) Math.min(Math.max(millis, 1), Integer.MAX_VALUE));
		try {
			Object reply = readProtocolWithCheckingBroken();
			this.unanswered--;
			return reply;
		}
		catch (JedisDataException ex) {
			this.unanswered--;
			throw ex;
		}
	}

	/**
	 * Query whether the server accepts writes. A server that does not permit the query is
	 * assumed to accept them.
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
	 * Read a message. If none is received in time, a PING is sent to the server.
	 * @return the message, or {@code null} if none was received in time
	 * @throws JedisConnectionException if the server did not respond to the last PING
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
