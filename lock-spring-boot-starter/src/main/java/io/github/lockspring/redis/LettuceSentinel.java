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

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;

/**
 * Sentinel accessed through Lettuce: one connection for queries, one for its
 * announcements.
 */
final class LettuceSentinel implements SentinelWatch.Sentinel {

	private final StatefulRedisSentinelConnection<String, String> questions;

	private final StatefulRedisPubSubConnection<String, String> announcements;

	private final String master;

	private final Semaphore announced;

	private LettuceSentinel(StatefulRedisSentinelConnection<String, String> questions,
			StatefulRedisPubSubConnection<String, String> announcements, String master, Semaphore announced) {
		this.questions = questions;
		this.announcements = announcements;
		this.master = master;
		this.announced = announced;
	}

	/**
	 * Connect and subscribe.
	 */
	static LettuceSentinel connect(RedisURI uri, RedisClient client, String master) {
		return ReconnectingConnection.prepare(client.connectPubSub(StringCodec.UTF8, uri), (announcements) -> {
			Semaphore announced = new Semaphore(0);
			announcements.addListener(new RedisPubSubAdapter<>() {

				@Override
				public void message(String channel, String text) {
					announced.release();
				}

			});
			announcements.sync().subscribe(SentinelWatch.CHANNELS.toArray(String[]::new));
			return new LettuceSentinel(client.connectSentinel(StringCodec.UTF8, uri), announcements, master, announced);
		}, StatefulConnection::closeAsync);
	}

	@Override
	public SentinelWatch.Report report() {
		this.announced.drainPermits();
		if (!(this.questions.sync().getMasterAddrByName(this.master) instanceof InetSocketAddress address)) {
			throw new RedisConnectionException("Unknown master name '" + this.master + "'");
		}
		Map<String, String> facts = this.questions.sync().master(this.master);
		return SentinelWatch.Report.of(List.of(address.getHostString(), String.valueOf(address.getPort())), facts);
	}

	@Override
	public void awaitAnnouncement(Duration timeout) {
		try {
			if (!this.announced.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
				this.announcements.sync().ping();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RedisConnectionException("Interrupted while waiting for the sentinel", ex);
		}
	}

	@Override
	public void close() {
		this.questions.closeAsync();
		this.announcements.closeAsync();
	}

}
