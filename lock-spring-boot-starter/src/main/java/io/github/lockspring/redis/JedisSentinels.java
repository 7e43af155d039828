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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.SafeEncoder;

import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/**
 * Asks the sentinels, one after the other, where the primary is.
 */
final class JedisSentinels implements Supplier<HostAndPort> {

	private final JedisClientCopy client;

	private final RedisSentinelConfiguration configuration;

	private final String name;

	JedisSentinels(JedisClientCopy client, RedisSentinelConfiguration configuration) {
		this.client = client;
		this.configuration = configuration;
		NamedNode master = configuration.getMaster();
		this.name = (master != null) ? String.valueOf(master.getName()) : "";
	}

	@Override
	public HostAndPort get() {
		List<HostAndPort> sentinels = new ArrayList<>(JedisClientCopy.addresses(this.configuration.getSentinels()));
		Collections.shuffle(sentinels);
		JedisException failure = null;
		for (HostAndPort sentinel : sentinels) {
			try {
				HostAndPort primary = ask(sentinel);
				if (primary != null) {
					return primary;
				}
			}
			catch (JedisException ex) {
				failure = ex;
			}
		}
		throw new JedisConnectionException("None of the sentinels " + sentinels + " tells where '" + this.name + "' is",
				failure);
	}

	private @Nullable HostAndPort ask(HostAndPort sentinel) {
		JedisLink link = this.client.openSentinel(sentinel, this.configuration);
		try {
			link.send(new CommandArguments(Protocol.Command.SENTINEL)
				.add(Protocol.SentinelKeyword.GET_MASTER_ADDR_BY_NAME)
				.add(this.name));
			Object answer = link.read(System.nanoTime() + this.client.timeout().toNanos());
			return (answer instanceof List<?> words && words.size() == 2)
					? new HostAndPort(text(words.get(0)), Integer.parseInt(text(words.get(1)))) : null;
		}
		finally {
			link.cut();
		}
	}

	private static String text(Object word) {
		return SafeEncoder.encode((byte[]) word);
	}

}
