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

package io.github.lockspring.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Configuration properties below {@code lock.redis}, for locks stored in Redis.
 */
public class RedisLockProperties {

	/**
	 * Name of the connection factory bean. Defaults to the only or primary bean of that
	 * type.
	 */
	private @Nullable String connectionFactory;

	/**
	 * Number of replicas that must acknowledge an acquisition before the lock counts as
	 * held. At least 0.
	 */
	private int waitReplicas;

	/**
	 * Timeout of the acknowledgement by the replicas. At least 1ms, at most 1d.
	 */
	private Duration waitTimeout = Duration.ofMillis(500);

	private final Redlock redlock = new Redlock();

	public @Nullable String getConnectionFactory() {
		return this.connectionFactory;
	}

	public void setConnectionFactory(@Nullable String connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	public int getWaitReplicas() {
		return this.waitReplicas;
	}

	public void setWaitReplicas(int waitReplicas) {
		this.waitReplicas = waitReplicas;
	}

	public Duration getWaitTimeout() {
		return this.waitTimeout;
	}

	public void setWaitTimeout(Duration waitTimeout) {
		this.waitTimeout = waitTimeout;
	}

	public Redlock getRedlock() {
		return this.redlock;
	}

	/**
	 * Locks stored on a majority of independent Redis servers.
	 */
	public static class Redlock {

		/**
		 * URLs of the servers, such as redis://host:6379. Special characters in user
		 * names and passwords are percent-encoded. None by default. Three or five
		 * independent servers are recommended.
		 */
		private List<String> nodes = new ArrayList<>();

		/**
		 * Timeout of a single server, after which the others proceed without it. At least
		 * 1ms, at most 1d.
		 */
		private Duration nodeTimeout = Duration.ofMillis(100);

		public List<String> getNodes() {
			return this.nodes;
		}

		public void setNodes(List<String> nodes) {
			this.nodes = nodes;
		}

		public Duration getNodeTimeout() {
			return this.nodeTimeout;
		}

		public void setNodeTimeout(Duration nodeTimeout) {
			this.nodeTimeout = nodeTimeout;
		}

	}

}
