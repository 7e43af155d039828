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

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Backends that can be selected by the properties {@code lock.backend} and
 * {@code lock.additional-backends}.
 */
public enum LockBackendType {

	/**
	 * Redis: standalone, Sentinel or Cluster. Detected if there is a connection factory.
	 */
	REDIS("Redis; requires a RedisConnectionFactory", "org.springframework.boot:spring-boot-starter-data-redis"),

	/**
	 * Majority of independent Redis servers. Never detected automatically.
	 */
	REDLOCK("a majority of independent Redis servers, without fencing tokens; requires lock.redis.redlock.nodes",
			"org.springframework.boot:spring-boot-starter-data-redis"),

	/**
	 * ZooKeeper. Detected if there is a Curator client or a connect string.
	 */
	ZOOKEEPER("ZooKeeper; requires lock.zookeeper.connect-string or a CuratorFramework",
			"org.apache.curator:curator-framework"),

	/**
	 * Table in a SQL database. Detected if there is a data source.
	 */
	JDBC("a table in a SQL database; requires a DataSource", "org.springframework.boot:spring-boot-starter-jdbc"),

	/**
	 * Memory of this process, for tests and for applications on a single node. Never
	 * detected automatically.
	 */
	LOCAL("the memory of this process; for tests and for applications on a single node", null);

	private final String description;

	private final @Nullable String dependency;

	LockBackendType(String description, @Nullable String dependency) {
		this.description = description;
		this.dependency = dependency;
	}

	/**
	 * Return the type of the given name, or {@code null} if there is none.
	 */
	static @Nullable LockBackendType of(String name) {
		for (LockBackendType type : values()) {
			if (type.name().equalsIgnoreCase(name)) {
				return type;
			}
		}
		return null;
	}

	/**
	 * Return the description for messages.
	 */
	String description() {
		return this.description;
	}

	/**
	 * Return the Maven coordinates of the required library.
	 */
	@Nullable String dependency() {
		return this.dependency;
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
