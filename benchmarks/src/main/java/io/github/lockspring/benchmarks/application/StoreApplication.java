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
package io.github.lockspring.benchmarks.application;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An application of Spring Boot that uses a store, with or without a contestant. Each
 * contestant that it can have is a profile of its configuration.
 *
 * @param configuration its configuration
 * @param properties its properties, each as {@code name=value}
 * @param contestants the names of the contestants that it can have
 */
public record StoreApplication(Class<?> configuration, List<String> properties, Set<String> contestants) {

	/**
	 * The profile of an application that locks nothing.
	 */
	static final String PLAIN = "plain";

	/**
	 * On a database.
	 * @param url the JDBC URL, with the user and the password
	 * @param properties more properties
	 * @return the application
	 */
	public static StoreApplication jdbc(String url, String... properties) {
		return of(JdbcApplication.class, JdbcApplication.CONTESTANTS, "spring.datasource.url=" + url, properties);
	}

	/**
	 * On Redis.
	 * @param url the URL of the server
	 * @return the application
	 */
	public static StoreApplication redis(String url) {
		return of(RedisApplication.class, RedisApplication.CONTESTANTS, "spring.data.redis.url=" + url);
	}

	/**
	 * On ZooKeeper.
	 * @param connectString the servers and the root
	 * @return the application
	 */
	public static StoreApplication zooKeeper(String connectString) {
		return of(ZooKeeperApplication.class, ZooKeeperApplication.CONTESTANTS,
				ZooKeeperApplication.CONNECT_PROPERTY + '=' + connectString);
	}

	private static StoreApplication of(Class<?> configuration, Set<String> contestants, String property,
			String... others) {
		return new StoreApplication(configuration, Stream.concat(Stream.of(property), Stream.of(others)).toList(),
				contestants);
	}

	/**
	 * Starts it without any contestant.
	 * @return its process
	 */
	public ApplicationProcess startPlain() {
		return start(PLAIN);
	}

	/**
	 * Starts it with a contestant.
	 * @param contestant the name of the contestant
	 * @return its process
	 */
	public ApplicationProcess start(String contestant) {
		return new ApplicationProcess(this, contestant);
	}

}
