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

import org.jspecify.annotations.Nullable;

/**
 * Configuration properties below {@code lock.zookeeper}, for locks stored in ZooKeeper.
 */
public class ZooKeeperLockProperties {

	/**
	 * Connect string of a dedicated client, such as host:2181,host:2181/path. If not set,
	 * the client of the application is used.
	 */
	private @Nullable String connectString;

	/**
	 * Name of the CuratorFramework bean. Defaults to the only or primary bean of that
	 * type.
	 */
	private @Nullable String client;

	/**
	 * Name of the node below which all nodes of locks are created. Letters, digits, dots,
	 * hyphens and underscores, not beginning with a dot.
	 */
	private String namespace = "lock";

	/**
	 * Session timeout of the dedicated client, after which others can acquire its locks
	 * if this process crashes. The servers limit the accepted range. At least 1ms, at
	 * most 1d.
	 */
	private Duration sessionTimeout = Duration.ofSeconds(10);

	/**
	 * Connection timeout of the dedicated client, after which calls fail immediately.
	 * Defaults to half of the session timeout. At least 1ms, at most the session timeout.
	 */
	private @Nullable Duration connectionTimeout;

	/**
	 * Credentials of the dedicated client, as a scheme and its data, such as
	 * digest:user:password. None by default. If set, other users have no access to the
	 * nodes that it creates.
	 */
	private @Nullable String auth;

	private final Retry retry = new Retry();

	public @Nullable String getConnectString() {
		return this.connectString;
	}

	public void setConnectString(@Nullable String connectString) {
		this.connectString = connectString;
	}

	public @Nullable String getClient() {
		return this.client;
	}

	public void setClient(@Nullable String client) {
		this.client = client;
	}

	public String getNamespace() {
		return this.namespace;
	}

	public void setNamespace(String namespace) {
		this.namespace = namespace;
	}

	public Duration getSessionTimeout() {
		return this.sessionTimeout;
	}

	public void setSessionTimeout(Duration sessionTimeout) {
		this.sessionTimeout = sessionTimeout;
	}

	public @Nullable Duration getConnectionTimeout() {
		return this.connectionTimeout;
	}

	public void setConnectionTimeout(@Nullable Duration connectionTimeout) {
		this.connectionTimeout = connectionTimeout;
	}

	public @Nullable String getAuth() {
		return this.auth;
	}

	public void setAuth(@Nullable String auth) {
		this.auth = auth;
	}

	public Retry getRetry() {
		return this.retry;
	}

	/**
	 * Retries of the few calls that the dedicated client makes through Curator. Calls
	 * that acquire and release locks are retried by the engine.
	 */
	public static class Retry {

		/**
		 * Approximate pause before the first retry. The pauses increase with each retry.
		 * At least 1ms, at most the maximum pause.
		 */
		private Duration baseSleep = Duration.ofMillis(100);

		/**
		 * Maximum pause between retries. At least the pause before the first retry, at
		 * most 1d.
		 */
		private Duration maxSleep = Duration.ofSeconds(1);

		/**
		 * Maximum number of retries of a call. At least 0, which disables retries, at
		 * most 29.
		 */
		private int maxRetries = 3;

		public Duration getBaseSleep() {
			return this.baseSleep;
		}

		public void setBaseSleep(Duration baseSleep) {
			this.baseSleep = baseSleep;
		}

		public Duration getMaxSleep() {
			return this.maxSleep;
		}

		public void setMaxSleep(Duration maxSleep) {
			this.maxSleep = maxSleep;
		}

		public int getMaxRetries() {
			return this.maxRetries;
		}

		public void setMaxRetries(int maxRetries) {
			this.maxRetries = maxRetries;
		}

	}

}
