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

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Lets a test see the statements that are sent, and interfere.
 */
class SpyDataSource extends DelegatingDataSource {

	private final List<String> statements = new CopyOnWriteArrayList<>();

	private final List<Object> parameters = new CopyOnWriteArrayList<>();

	private final List<String> calls = new CopyOnWriteArrayList<>();

	private final AtomicInteger opened = new AtomicInteger();

	private final AtomicInteger closed = new AtomicInteger();

	private final CountDownLatch aborted = new CountDownLatch(1);

	private final Set<Connection> abortedConnections = ConcurrentHashMap.newKeySet();

	private final Map<String, Error> errors = new ConcurrentHashMap<>();

	private volatile Interference interference = Statement::getClass;

	SpyDataSource(DataSource target) {
		super(target);
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		this.opened.incrementAndGet();
		return proxy(Connection.class, connection, (method, arguments, call) -> {
			this.calls.add(method.getName());
			if (method.getName().equals("close")) {
				this.closed.incrementAndGet();
			}
			if (method.getName().equals("abort")) {
				this.abortedConnections.add(connection);
				this.aborted.countDown();
			}
			Error error = this.errors.remove(method.getName());
			if (error != null) {
				throw error;
			}
			Object result = call.run();
			if (method.getName().equals("prepareStatement")) {
				return statement((Statement) result, (String) arguments[0], connection);
			}
			if (method.getName().equals("createStatement")) {
				return proxy(Statement.class, (Statement) result, this::noteText);
			}
			return result;
		});
	}

	private Statement statement(Statement target, String sql, Connection connection) {
		return (Statement) proxy(PreparedStatement.class, (PreparedStatement) target, (method, arguments, call) -> {
			if (method.getName().startsWith("set") && arguments.length == 2) {
				this.parameters.add(arguments[1]);
			}
			if (!method.getName().startsWith("execute")) {
				return call.run();
			}
			this.statements.add(sql);
			return interfered(target, call);
		});
	}

	private Object noteText(Method method, Object[] arguments, Call call) throws Throwable {
		if (method.getName().startsWith("execute")) {
			this.calls.add(arguments[0].toString());
		}
		return call.run();
	}

	private Object interfered(Statement statement, Call call) throws Throwable {
		Interference interference = this.interference;
		interference.before(statement);
		Object result = call.run();
		interference.after(statement);
		return result;
	}

	/**
	 * The texts of the prepared statements that were executed.
	 */
	List<String> statements() {
		return this.statements;
	}

	/**
	 * The values that were given to prepared statements.
	 */
	List<Object> parameters() {
		return this.parameters;
	}

	/**
	 * The names of the methods of connections that were called, and the texts of
	 * statements that were not prepared.
	 */
	List<String> calls() {
		return this.calls;
	}

	int opened() {
		return this.opened.get();
	}

	int closed() {
		return this.closed.get();
	}

	void interfere(Interference interference) {
		this.interference = interference;
	}

	/**
	 * Interferes with the next statement only.
	 */
	void interfereOnce(Interference interference) {
		interfere(new Interference() {

			private final AtomicBoolean over = new AtomicBoolean();

			@Override
			public void before(Statement statement) throws SQLException {
				if (!this.over.get()) {
					this.over.set(true);
					interference.before(statement);
					this.over.set(false);
				}
			}

			@Override
			public void after(Statement statement) throws SQLException {
				if (!this.over.getAndSet(true)) {
					interference.after(statement);
				}
			}

		});
	}

	/**
	 * Lets a driver fail during the next call of a method of a connection.
	 */
	void failOnce(String method, Error error) {
		this.errors.put(method, error);
	}

	/**
	 * Blocks as a database does that does not answer, until the connection is aborted.
	 */
	void hang(Statement statement) throws SQLException {
		awaitAbort();
		throw new SQLException("The connection was closed", "08006");
	}

	/**
	 * Blocks until the first connection is aborted.
	 */
	void awaitAbort() {
		try {
			this.aborted.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	boolean isAborted(Connection connection) {
		return this.abortedConnections.contains(connection);
	}

	private static <T> T proxy(Class<T> type, T target, Handler handler) {
		InvocationHandler invocations = (proxy, method, arguments) -> handler.handle(method, arguments, () -> {
			try {
				return method.invoke(target, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		});
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, invocations));
	}

	private interface Handler {

		Object handle(Method method, Object[] arguments, Call call) throws Throwable;

	}

	private interface Call {

		Object run() throws Throwable;

	}

	/**
	 * What happens to statements.
	 */
	interface Interference {

		void before(Statement statement) throws SQLException;

		default void after(Statement statement) throws SQLException {
		}

	}

}
