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

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisNode;

/**
 * Finds the primary monitored by sentinels, through Lettuce, which would query only one
 * of them, and only when it connects.
 */
final class LettucePrimary implements AutoCloseable {

	/**
	 * Timeout for the outcome of a failover when no caller waits.
	 */
	private static final Duration FAILOVER_TIMEOUT = Duration.ofSeconds(10);

	private final RedisURI uri;

	private final SentinelWatch watch;

	private LettucePrimary(RedisClient client, RedisURI uri, TokenLead lead, Runnable switched) {
		this.uri = uri;
		List<RedisNode> sentinels = uri.getSentinels().stream().map(LettucePrimary::node).toList();
		this.watch = new SentinelWatch(sentinels,
				(node) -> LettuceSentinel.connect(sentinel(node), client, uri.getSentinelMasterId()), lead, switched);
	}

	private RedisURI sentinel(RedisNode node) {
		return this.uri.getSentinels().stream().filter((uri) -> node(uri).equals(node)).findFirst().orElseThrow();
	}

	private static RedisNode node(RedisURI uri) {
		return new RedisNode(uri.getHost(), uri.getPort());
	}

	/**
	 * Create an instance for a client. Reads a field of the client, which has no accessor
	 * for its address.
	 * @return the instance, or {@code null} if there are no sentinels
	 */
	static @Nullable LettucePrimary of(AbstractRedisClient client, TokenLead lead, Runnable switched) {
		if (client instanceof RedisClient server
				&& new DirectFieldAccessor(client).getPropertyValue("redisURI") instanceof RedisURI uri
				&& !uri.getSentinels().isEmpty()) {
			return new LettucePrimary(server, uri, lead, switched);
		}
		return null;
	}

	void start() {
		this.watch.start();
	}

	/**
	 * Return whether the last known primary may still be used.
	 */
	boolean isTrusted() {
		return this.watch.isTrusted();
	}

	/**
	 * Return the address of the primary, waiting until it is known.
	 */
	RedisURI uri() {
		RedisNode node = this.watch.primary(FAILOVER_TIMEOUT);
		return RedisURI.builder(this.uri).withHost(node.getRequiredHost()).withPort(node.getRequiredPort()).build();
	}

	@Override
	public void close() {
		this.watch.close();
	}

}
