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

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Attempt to open a connection, which may exceed its timeout: a data source can hang, and
 * a pooled connection may be broken. Thread-safe for one thread that opens and one that
 * aborts; the mark is guarded by the pool.
 */
final class ConnectionOpening {

	private static final Log logger = LogFactory.getLog(ConnectionOpening.class);

	private final long since = System.nanoTime();

	private final long nanos;

	private volatile @Nullable Connection connection;

	private int formerNetworkTimeout;

	private boolean aborted;

	ConnectionOpening(Duration timeout) {
		this.nanos = timeout.toNanos();
	}

	/**
	 * Take a connection from the data source, and set its network timeout before it is
	 * used.
	 */
	Connection connect(DataSource dataSource) throws SQLException {
		Connection connection = dataSource.getConnection();
		this.connection = connection;
		setNetworkTimeout(connection);
		return connection;
	}

	private void setNetworkTimeout(Connection connection) {
		try {
			this.formerNetworkTimeout = connection.getNetworkTimeout();
			limitReads(connection, this.nanos);
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("Could not set the network timeout of a connection", ex);
		}
	}

	/**
	 * Limit the time for which a call waits for a server that does not respond. Some
	 * drivers need another connection to the same server to abort one.
	 */
	static void limitReads(Connection connection, long nanos) throws SQLException {
		long millis = Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos)) + 1;
		connection.setNetworkTimeout(Runnable::run, (int) Math.min(millis, Integer.MAX_VALUE));
	}

	/**
	 * Return the network timeout that the connection had at first, in milliseconds.
	 */
	int formerNetworkTimeout() {
		return this.formerNetworkTimeout;
	}

	boolean isOverdue() {
		return System.nanoTime() - this.since > this.nanos;
	}

	/**
	 * Return whether the data source has provided a connection, which is not ready yet.
	 */
	boolean isConnected() {
		return this.connection != null;
	}

	/**
	 * Mark the attempt as aborted if there is a connection that does not become ready.
	 * Such a connection is not used, even if it becomes ready before it is aborted.
	 * @return whether to abort it
	 */
	boolean markAborted() {
		this.aborted = isConnected();
		return this.aborted;
	}

	boolean isAborted() {
		return this.aborted;
	}

	/**
	 * Abort the connection.
	 */
	void abort() {
		Connection connection = this.connection;
		if (connection != null) {
			try {
				connection.abort(Runnable::run);
			}
			catch (SQLException | RuntimeException ex) {
				logger.debug("Could not abort a connection that takes too long to open", ex);
			}
		}
	}

}
