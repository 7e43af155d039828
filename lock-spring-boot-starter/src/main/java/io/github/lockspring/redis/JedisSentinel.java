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

import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

import io.github.lockspring.support.Deadline;

/**
 * Sentinel accessed through Jedis: one connection for queries, one for its announcements.
 */
final class JedisSentinel implements SentinelWatch.Sentinel {

	private final JedisLink questions;

	private final JedisLink announcements;

	private final String master;

	private JedisSentinel(JedisLink questions, JedisLink announcements, String master) {
		this.questions = questions;
		this.announcements = announcements;
		this.master = master;
	}

	/**
	 * Connect and subscribe.
	 */
	static JedisSentinel connect(RedisNode node, JedisClientFactory client, RedisSentinelConfiguration configuration) {
		HostAndPort address = JedisClientFactory.address(node);
		NamedNode master = configuration.getMaster();
		return ReconnectingConnection.prepare(client.openSentinel(address, configuration), (announcements) -> {
			announcements.subscribe(SentinelWatch.CHANNELS, Deadline.after(client.timeout()));
			return new JedisSentinel(client.openSentinel(address, configuration), announcements,
					(master != null) ? String.valueOf(master.getName()) : "");
		}, JedisLink::cut);
	}

	@Override
	public SentinelWatch.Report report() {
		Jedis sentinel = new Jedis(this.questions);
		List<String> address = sentinel.sentinelGetMasterAddrByName(this.master);
		if (address == null || address.size() != 2) {
			throw new JedisConnectionException("Unknown master name '" + this.master + "'");
		}
		return SentinelWatch.Report.of(address, sentinel.sentinelMaster(this.master));
	}

	@Override
	public void awaitAnnouncement(Duration timeout) {
		this.announcements.readMessage(timeout);
	}

	@Override
	public void close() {
		this.questions.cut();
		this.announcements.cut();
	}

}
