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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

import io.github.lockspring.support.Deadline;

/**
 * Subscription to a channel on a separate connection, which a thread reads until it
 * fails, and which is then opened again. If nothing is received for some time, the
 * connection is checked.
 */
final class JedisSubscription implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisClientAdapter.class);

	private static final Duration SILENCE = Duration.ofSeconds(2);

	private final JedisNodes nodes;

	private final RedisChannel channel;

	private final Duration timeout;

	private final Executor threads;

	private final ReconnectingConnection<JedisLink> connection;

	JedisSubscription(JedisNodes nodes, RedisChannel channel, JedisClientFactory client, Executor threads) {
		this.nodes = nodes;
		this.channel = channel;
		this.timeout = client.timeout();
		this.threads = threads;
		this.connection = new ReconnectingConnection<>(client.address() + " (messages)", this::subscribe,
				(link) -> !link.isBroken(), JedisLink::cut, channel::listening);
	}

	void start() {
		this.connection.renew();
	}

	/**
	 * Wait for the end of the first attempt to listen, successful or not.
	 */
	void awaitFirst(Duration timeout) {
		this.connection.awaitFirst(timeout);
	}

	boolean isListening() {
		return this.connection.current() != null;
	}

	private JedisLink subscribe() {
		return ReconnectingConnection.prepare(this.nodes.open(), (link) -> {
			link.subscribe(List.of(this.channel.name()), Deadline.after(this.timeout));
			this.threads.execute(() -> listen(link));
			return link;
		}, JedisLink::cut);
	}

	private void listen(JedisLink link) {
		try {
			while (true) {
				if (!this.nodes.contains(link.address())) {
					this.nodes.doubt();
					throw new JedisConnectionException("Redis failed over to another server");
				}
				deliver(link.readMessage(SILENCE));
			}
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Subscription to messages of Redis lost", ex);
		}
		finally {
			link.setBroken();
			this.connection.restore(link);
		}
	}

	/**
	 * Deliver a message, unless it is missing or the reply to a PING.
	 */
	private void deliver(@Nullable Object message) {
		if (message instanceof List<?> words && words.size() == 3 && words.get(0) instanceof byte[] kind
				&& words.get(2) instanceof byte[] text && "message".equals(JedisMessages.text(kind))) {
			this.channel.message(JedisMessages.text(text));
		}
	}

	/**
	 * Do not reconnect when the connection is cut, which ends the thread.
	 */
	@Override
	public void close() {
		this.connection.close();
	}

}
