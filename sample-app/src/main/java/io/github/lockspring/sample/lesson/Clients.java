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

package io.github.lockspring.sample.lesson;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.jdbc.JdbcLockBackend;
import io.github.lockspring.redis.RedisLockBackend;
import io.github.lockspring.redis.RedisLockSettings;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.zookeeper.ZooKeeperLockBackend;
import io.github.lockspring.zookeeper.ZooKeeperLockSettings;

/**
 * The clients of a store in one process.
 */
final class Clients implements AutoCloseable {

	private static final int SESSION_TIMEOUT = 5_000;

	private final LessonStore store;

	private final String address;

	private final Deque<Runnable> opened = new ArrayDeque<>();

	private @Nullable RedisClient redis;

	private @Nullable CuratorFramework zooKeeper;

	private @Nullable HikariDataSource database;

	/**
	 * Create clients, which connect when they are used.
	 * @param address a URL of Redis or JDBC, with user and password, or a connect string
	 */
	Clients(LessonStore store, String address) {
		this.store = store;
		this.address = address;
	}

	/**
	 * Return a new connection.
	 */
	synchronized RedisCommands<String, String> redis() {
		RedisClient client = this.redis;
		if (client == null) {
			client = RedisClient.create(this.address);
			this.opened.push(client::shutdown);
			this.redis = client;
		}
		return client.connect().sync();
	}

	synchronized CuratorFramework zooKeeper() {
		CuratorFramework client = this.zooKeeper;
		if (client == null) {
			client = CuratorFrameworkFactory.builder()
				.connectString(this.address)
				.ensembleTracker(false)
				.sessionTimeoutMs(SESSION_TIMEOUT)
				.connectionTimeoutMs(SESSION_TIMEOUT)
				.retryPolicy(new ExponentialBackoffRetry(50, 5))
				.build();
			client.start();
			this.opened.push(client::close);
			this.zooKeeper = client;
		}
		return client;
	}

	synchronized DataSource database() {
		HikariDataSource dataSource = this.database;
		if (dataSource == null) {
			dataSource = new HikariDataSource();
			dataSource.setJdbcUrl(this.address);
			dataSource.setMaximumPoolSize(4);
			this.opened.push(dataSource::close);
			this.database = dataSource;
		}
		return dataSource;
	}

	/**
	 * Return a backend of the starter.
	 */
	LockBackend backend() {
		return switch (this.store) {
			case REDIS -> new RedisLockBackend(connectionFactory(), RedisLockSettings.defaults());
			case H2 -> new JdbcLockBackend(database());
			case ZOOKEEPER -> new ZooKeeperLockBackend(zooKeeper(),
					new ZooKeeperLockSettings(ZooKeeperLockSettings.DEFAULT_NAMESPACE, Duration.ofSeconds(3)));
		};
	}

	private synchronized LettuceConnectionFactory connectionFactory() {
		LettuceConnectionFactory connections = new LettuceConnectionFactory(
				(RedisStandaloneConfiguration) LettuceConnectionFactory.createRedisConfiguration(this.address));
		connections.afterPropertiesSet();
		connections.start();
		this.opened.push(connections::destroy);
		return connections;
	}

	@Override
	public synchronized void close() {
		while (!this.opened.isEmpty()) {
			this.opened.pop().run();
		}
	}

}
