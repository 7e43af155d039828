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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

import io.github.lockspring.support.Deadline;

/**
 * Subscription to a channel on a separate connection, in a thread that reads until a
 * failure and then reconnects. If nothing is received for some time, the connection is
 * checked.
 */
final class JedisSubscription implements Runnable, AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisClientAdapter.class);

	private static final Duration SILENCE = Duration.ofSeconds(2);

	private static final long MIN_PAUSE_MILLIS = 100;

	private static final long MAX_PAUSE_MILLIS = 5_000;

	private final JedisNodes nodes;

	private final RedisChannel channel;

	private final String address;

	private final Duration timeout;

	private final CountDownLatch attempted = new CountDownLatch(1);

	private volatile boolean listening;

	private volatile boolean closed;

	private int failures;

	JedisSubscription(JedisNodes nodes, RedisChannel channel, String address, Duration timeout) {
		this.nodes = nodes;
		this.channel = channel;
		this.address = address;
		this.timeout = timeout;
	}

	/**
	 * Wait for the end of the first attempt to listen, successful or not.
	 */
	void awaitFirst(Duration timeout) throws InterruptedException {
		this.attempted.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
	}

	boolean isListening() {
		return this.listening;
	}

	@Override
	public void run() {
		try {
			while (!this.closed) {
				attempt();
				this.attempted.countDown();
				Thread.sleep(Math.min(MIN_PAUSE_MILLIS << Math.min(this.failures, 10), MAX_PAUSE_MILLIS));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void attempt() {
		try {
			JedisLink link = this.nodes.open();
			try {
				subscribe(link);
				listen(link);
			}
			finally {
				this.listening = false;
				link.cut();
			}
		}
		catch (RuntimeException | Error ex) {
			this.failures++;
			if (this.failures == 1 && !this.closed) {
				logger.warn("Subscription to messages of Redis at " + this.address + " lost; it will be retried: "
						+ ex.getMessage());
			}
		}
	}

	private void subscribe(JedisLink link) {
		link.subscribe(List.of(this.channel.name()), Deadline.after(this.timeout));
		if (this.failures > 0) {
			logger.info("Subscription to messages of Redis at " + this.address + " restored");
		}
		this.failures = 0;
		this.listening = true;
		this.channel.listening();
		this.attempted.countDown();
	}

	private void listen(JedisLink link) {
		while (!this.closed) {
			if (!this.nodes.contains(link.address())) {
				this.nodes.doubt();
				throw new JedisConnectionException("Redis failed over to another server");
			}
			deliver(link.readMessage(SILENCE));
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
	 * End the thread, once its connection is cut.
	 */
	@Override
	public void close() {
		this.closed = true;
	}

}
