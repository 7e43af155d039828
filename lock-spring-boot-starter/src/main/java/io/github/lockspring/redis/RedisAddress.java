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

import java.util.Collection;
import java.util.stream.Collectors;

import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.ClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.SentinelConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithDomainSocket;
import org.springframework.data.redis.connection.RedisConfiguration.WithHostAndPort;
import org.springframework.data.redis.connection.RedisNode;

/**
 * Addresses of servers for display, without user names and passwords.
 */
final class RedisAddress {

	private RedisAddress() {
	}

	/**
	 * Return the address, empty if there is none.
	 */
	static String of(RedisConfiguration configuration) {
		if (configuration instanceof ClusterConfiguration cluster) {
			return "the cluster of " + join(cluster.getClusterNodes());
		}
		if (configuration instanceof SentinelConfiguration sentinel) {
			NamedNode primary = sentinel.getMaster();
			return "the primary " + ((primary != null) ? primary.getName() : "?") + " of the Sentinels "
					+ join(sentinel.getSentinels());
		}
		if (configuration instanceof WithHostAndPort server) {
			return server.getHostName() + ':' + server.getPort();
		}
		return (configuration instanceof WithDomainSocket socket) ? socket.getSocket() : "";
	}

	private static String join(Collection<RedisNode> nodes) {
		return nodes.stream().map(RedisNode::asString).sorted().collect(Collectors.joining(", "));
	}

}
