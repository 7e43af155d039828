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

package io.github.lockspring.sample.store;

import java.util.List;

import io.github.lockspring.server.MariaDbServer;
import io.github.lockspring.server.PostgresServer;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.server.ZooKeeperServer;

/**
 * A store in a server of the tests, which ends with this process whatever happens to it.
 */
final class EmbeddedStore implements Store {

	private final String name;

	private final List<String> arguments;

	private final Runnable pause;

	private final Runnable resume;

	private final Runnable close;

	private boolean closed;

	private EmbeddedStore(StoreType type, List<String> arguments, Runnable pause, Runnable resume, Runnable close) {
		this.name = type.id();
		this.arguments = arguments;
		this.pause = pause;
		this.resume = resume;
		this.close = close;
	}

	/**
	 * Start a server.
	 * @param type the kind of store, other than H2
	 * @return the running store
	 * @throws StoreNotStartedException if it does not start, such as for want of programs
	 * for this system
	 */
	static EmbeddedStore start(StoreType type) {
		try {
			return switch (type) {
				case REDIS -> of(RedisServer.start());
				case ZOOKEEPER -> of(ZooKeeperServer.start());
				case POSTGRES -> of(type, PostgresServer.start());
				case MARIADB -> of(type, MariaDbServer.start());
				case H2 -> throw new IllegalArgumentException("H2 has a store of its own");
			};
		}
		catch (RuntimeException ex) {
			throw new StoreNotStartedException(type, ex);
		}
	}

	private static EmbeddedStore of(RedisServer server) {
		return new EmbeddedStore(StoreType.REDIS, StoreType.REDIS.arguments(server.uri().toString()), server::pause,
				server::resume, server::close);
	}

	private static EmbeddedStore of(ZooKeeperServer server) {
		return new EmbeddedStore(StoreType.ZOOKEEPER, StoreType.ZOOKEEPER.arguments(server.connectString()),
				server::pause, server::resume, server::close);
	}

	private static EmbeddedStore of(StoreType type, SqlServer server) {
		List<String> arguments = List.of("--spring.datasource.url=" + server.jdbcUrl(),
				"--spring.datasource.username=" + server.user(), "--spring.datasource.password=" + server.password());
		return new EmbeddedStore(type, arguments, server::pause, server::resume, server::close);
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public List<String> arguments() {
		return this.arguments;
	}

	@Override
	public boolean isStoppable() {
		return true;
	}

	@Override
	public synchronized void pause() {
		this.pause.run();
	}

	@Override
	public synchronized void resume() {
		this.resume.run();
	}

	@Override
	public synchronized void close() {
		if (!this.closed) {
			this.closed = true;
			this.close.run();
		}
	}

}
