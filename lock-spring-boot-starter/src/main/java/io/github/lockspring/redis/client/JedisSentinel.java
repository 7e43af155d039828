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

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;

import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/**
 * Sentinel accessed through Jedis: one connection for queries, one for its announcements.
 */
final class JedisSentinel implements SentinelWatch.Sentinel {

	private final JedisLink questions;

	private final JedisLink announcements;

	private final String master;

	private final Duration timeout;

	private boolean asked;

	private JedisSentinel(JedisLink questions, JedisLink announcements, String master, Duration timeout) {
		this.questions = questions;
		this.announcements = announcements;
		this.master = master;
		this.timeout = timeout;
	}

	/**
	 * Connects and subscribes.
	 */
	static JedisSentinel connect(RedisNode node, JedisClientFactory client, RedisSentinelConfiguration configuration) {
		HostAndPort address = JedisClientFactory.addresses(List.of(node)).get(0);
		JedisLink questions = client.openSentinel(address, configuration);
		try {
			JedisLink announcements = client.openSentinel(address, configuration);
			NamedNode master = configuration.getMaster();
			JedisSentinel sentinel = new JedisSentinel(questions, announcements,
					(master != null) ? String.valueOf(master.getName()) : "", client.timeout());
			sentinel.subscribe();
			return sentinel;
		}
		catch (RuntimeException ex) {
			questions.cut();
			throw ex;
		}
	}

	private void subscribe() {
		CommandArguments subscribe = new CommandArguments(Protocol.Command.SUBSCRIBE);
		SentinelWatch.CHANNELS.forEach(subscribe::add);
		try {
			this.announcements.send(subscribe);
			for (int i = 0; i < SentinelWatch.CHANNELS.size(); i++) {
				this.announcements.read(deadline());
			}
		}
		catch (RuntimeException ex) {
			this.announcements.cut();
			throw ex;
		}
	}

	private long deadline() {
		return System.nanoTime() + this.timeout.toNanos();
	}

	@Override
	public SentinelWatch.Report report() {
		List<String> address = ask(Protocol.SentinelKeyword.GET_MASTER_ADDR_BY_NAME);
		if (address.size() != 2) {
			throw new JedisConnectionException("Unknown master name '" + this.master + "'");
		}
		List<String> words = ask(Protocol.SentinelKeyword.MASTER);
		Map<String, String> facts = new HashMap<>();
		for (int i = 0; i + 1 < words.size(); i += 2) {
			facts.put(words.get(i), words.get(i + 1));
		}
		return SentinelWatch.Report.of(address, facts);
	}

	private List<String> ask(Protocol.SentinelKeyword question) {
		this.questions.send(new CommandArguments(Protocol.Command.SENTINEL).add(question).add(this.master));
		List<String> words = new ArrayList<>();
		if (this.questions.read(deadline()) instanceof List<?> answer) {
			answer.forEach((word) -> words.add(JedisMessages.text((byte[]) word)));
		}
		return words;
	}

	@Override
	public void awaitAnnouncement(Duration timeout) {
		if (this.announcements.readMessage(timeout) != JedisLink.SILENCE) {
			this.asked = false;
			return;
		}
		if (this.asked) {
			throw new JedisConnectionException("No answer to PING");
		}
		this.asked = true;
		this.announcements.send(new CommandArguments(Protocol.Command.PING));
	}

	@Override
	public void close() {
		this.questions.cut();
		this.announcements.cut();
	}

}
