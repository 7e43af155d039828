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

package io.github.lockspring.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A database server for tests: a real one, in a process of its own, on a free port of the
 * loopback interface, with its data in a temporary folder, and with a database and a user
 * without special rights. What is committed outlives {@link #kill()}.
 * <p>
 * A server that a system property names is not ours: methods that need its process or
 * change its settings abort the test.
 */
public abstract class SqlServer implements AutoCloseable {

	static final String LOOPBACK = "127.0.0.1";

	private final SqlAddress address;

	private final SqlAddress admin;

	private final @Nullable Path folder;

	private @Nullable ServerProcess process;

	private boolean shared;

	/**
	 * Create a server that is not started yet.
	 * @param address the address for tests
	 * @param admin the address for this class, of a user who may do everything
	 * @param folder the folder of the server, or {@code null} if its process is not ours
	 */
	SqlServer(SqlAddress address, SqlAddress admin, @Nullable Path folder) {
		this.address = address;
		this.admin = admin;
		this.folder = folder;
	}

	/**
	 * Start the process.
	 * @param folder the folder for its data
	 * @param log the file for its output
	 * @return the process
	 */
	abstract ServerProcess launch(Path folder, Path log);

	abstract DataSource dataSource(SqlAddress address);

	abstract int usualPort();

	/**
	 * Return the host.
	 * @return the host
	 */
	public String host() {
		return this.address.host();
	}

	/**
	 * Return the port, which stays the same when the server is started again.
	 * @return the port
	 */
	public int port() {
		return this.address.port(usualPort());
	}

	/**
	 * Return the URL of the database.
	 * @return the JDBC URL
	 */
	public String jdbcUrl() {
		return this.address.url();
	}

	/**
	 * Return the user of the database.
	 * @return the name of the user
	 */
	public String user() {
		return this.address.user();
	}

	/**
	 * Return the password of the user.
	 * @return the password
	 */
	public String password() {
		return this.address.password();
	}

	/**
	 * Return a data source of the driver, which opens a connection each time.
	 * @return a new data source
	 */
	public DataSource dataSource() {
		return dataSource(this.address);
	}

	/**
	 * Return a data source of the driver, such as for {@link #proxied(FaultProxy)} or
	 * with options of the driver in the URL.
	 * @param url the JDBC URL
	 * @return a new data source
	 */
	public DataSource dataSource(String url) {
		return dataSource(new SqlAddress(url, user(), password()));
	}

	/**
	 * Return a proxy before this server.
	 * @return a new proxy
	 */
	public FaultProxy proxy() {
		return new FaultProxy(host(), port());
	}

	/**
	 * Return the URL of the database behind a proxy.
	 * @param proxy the proxy
	 * @return the JDBC URL
	 */
	public String proxied(FaultProxy proxy) {
		return this.address.urlAt(proxy.host(), proxy.port());
	}

	/**
	 * Execute statements as the user of the database, each in a transaction of its own.
	 * @param statements the statements
	 */
	public void execute(String... statements) {
		with(this.address, (connection) -> execute(connection, statements));
	}

	static int execute(Connection connection, String... statements) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			for (String sql : statements) {
				statement.execute(sql);
			}
			return statements.length;
		}
	}

	static List<Long> longs(Connection connection, String sql) throws SQLException {
		List<Long> result = new ArrayList<>();
		try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
			while (rows.next()) {
				result.add(rows.getLong(1));
			}
		}
		return result;
	}

	/**
	 * Lock a row in a transaction of another connection.
	 * @param table the table
	 * @param column the column that identifies the row
	 * @param value the value of the column
	 * @return the transaction, which holds the lock until it is closed
	 */
	public RowLock lockRow(String table, String column, Object value) {
		return locked((lock) -> lock.lock(table, column, value));
	}

	/**
	 * Lock all rows of a table in a transaction of another connection.
	 * @param table the table
	 * @return the transaction, which holds the locks until it is closed
	 */
	public RowLock lockRows(String table) {
		return locked((lock) -> lock.lock(table));
	}

	private RowLock locked(RowLocker locker) {
		return attempt(() -> {
			RowLock lock = new RowLock(dataSource().getConnection());
			try {
				locker.accept(lock);
				return lock;
			}
			catch (SQLException | RuntimeException ex) {
				lock.close();
				throw ex;
			}
		});
	}

	/**
	 * Return how many statements of the {@link #user() user} the server has executed
	 * since it was started, and not those that other methods here execute as another
	 * user.
	 * @return the number of statements
	 */
	public abstract long statementCount();

	/**
	 * End all connections of clients.
	 */
	public abstract void terminateBackends();

	/**
	 * Let transactions be read-only unless they ask for more, or end that. It ends when
	 * the server is started again. Connections that are open may be late to notice.
	 * @param readOnly whether to reject writes
	 */
	public abstract void setReadOnly(boolean readOnly);

	/**
	 * Do something as a user who may do everything.
	 * @param <T> the type of the result
	 * @param work what to do with a connection
	 * @return the result
	 */
	public <T> T asAdmin(SqlWork<T> work) {
		return with(this.admin, work);
	}

	private <T> T with(SqlAddress address, SqlWork<T> work) {
		return attempt(() -> {
			try (Connection connection = dataSource(address).getConnection()) {
				return work.with(connection);
			}
		});
	}

	private static <T> T attempt(Attempt<T> attempt) {
		try {
			return attempt.make();
		}
		catch (SQLException ex) {
			throw new UncheckedIOException(new IOException(ex));
		}
	}

	/**
	 * Return the process id.
	 * @return the process id
	 */
	public long pid() {
		return process().pid();
	}

	/**
	 * Let the processes of the server stand still, with connections open.
	 */
	public void pause() {
		process().pause();
	}

	/**
	 * Resume the processes of the server.
	 */
	public void resume() {
		process().resume();
	}

	/**
	 * End the server in an orderly way, without waiting for clients.
	 */
	public void stop() {
		process().stop();
	}

	/**
	 * Kill all processes of the server.
	 */
	public void kill() {
		process().kill();
	}

	/**
	 * Return whether the server is running, if only standing still.
	 * @return whether the server is running
	 */
	public boolean isRunning() {
		return process().isAlive();
	}

	/**
	 * End the server if it is running and start it on the same port with its data.
	 */
	public void restart() {
		if (isRunning()) {
			stop();
		}
		launch();
	}

	final void launch() {
		this.process = launch(folder(), logFile());
		Await.until("a database answers on port " + port(), this::answers);
	}

	private boolean answers() {
		if (!isRunning()) {
			throw new IllegalStateException("The server has ended: " + log());
		}
		execute("SELECT 1");
		return true;
	}

	/**
	 * Return what the server has logged.
	 * @return the text of the log
	 */
	public String log() {
		try {
			return Files.readString(logFile());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Path logFile() {
		return folder().resolve("server.log");
	}

	/**
	 * Kill the server and delete its folder. The shared server stays.
	 */
	@Override
	public void close() {
		if (this.folder != null && !this.shared) {
			kill();
			TemporaryFolder.delete(this.folder);
		}
	}

	final void share() {
		this.shared = true;
	}

	final Path folder() {
		return ours(this.folder);
	}

	final ServerProcess process() {
		return ours(this.process);
	}

	private static <T> T ours(@Nullable T part) {
		return (part != null) ? part : Assumptions.abort("Needs a database server of its own");
	}

	/**
	 * Something that may fail.
	 *
	 * @param <T> the type of the result
	 */
	private interface Attempt<T> {

		T make() throws SQLException;

	}

	/**
	 * Locks rows in a transaction.
	 */
	private interface RowLocker {

		void accept(RowLock lock) throws SQLException;

	}

}
