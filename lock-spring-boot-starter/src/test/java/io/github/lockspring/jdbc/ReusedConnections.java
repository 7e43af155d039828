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
package io.github.lockspring.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Data source for the statements that tests execute themselves. Connections are reused,
 * because to open one is the most expensive operation of a test: PostgreSQL starts a
 * process for it. Connections that the server has closed are replaced.
 */
final class ReusedConnections extends DelegatingDataSource {

	private static final Map<List<String>, DataSource> SHARED = new ConcurrentHashMap<>();

	private static final int VALIDATION_SECONDS = 5;

	private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();

	private ReusedConnections(DataSource target) {
		super(target);
	}

	/**
	 * Return the data source for a database, the same for all tests of this JVM.
	 * @param url the JDBC URL
	 * @param user the user
	 * @param password the password
	 * @return the data source
	 */
	static DataSource to(String url, String user, String password) {
		return SHARED.computeIfAbsent(List.of(url, user, password),
				(key) -> new ReusedConnections(new DriverManagerDataSource(url, user, password)));
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = this.idle.poll();
		while (connection != null && !connection.isValid(VALIDATION_SECONDS)) {
			connection.close();
			connection = this.idle.poll();
		}
		return lend((connection != null) ? connection : super.getConnection());
	}

	private Connection lend(Connection connection) {
		AtomicBoolean closed = new AtomicBoolean();
		return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> switch (method.getName()) {
					case "close" -> takeBack(connection, closed);
					case "isClosed" -> closed.get() || connection.isClosed();
					default -> invoke(connection, method, arguments);
				});
	}

	private @Nullable Object takeBack(Connection connection, AtomicBoolean closed) {
		if (closed.compareAndSet(false, true)) {
			this.idle.push(connection);
		}
		return null;
	}

	private static @Nullable Object invoke(Connection connection, Method method, Object[] arguments) throws Throwable {
		try {
			return method.invoke(connection, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

}
