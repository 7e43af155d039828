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

import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.net.SocketFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

import io.github.lockspring.server.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@link PromptSocketFactory} fits the driver of PostgreSQL.
 */
@Timeout(60)
class PromptSocketFactoryServerTests {

	private static final List<Integer> TIMEOUTS = new CopyOnWriteArrayList<>();

	@Test
	void driverLooksForAnotherNotificationWithTheShortestTimeout() throws Exception {
		PostgresServer server = PostgresServer.shared();
		Properties properties = new Properties();
		properties.setProperty("user", server.user());
		properties.setProperty("password", server.password());
		properties.setProperty("socketFactory", RecordingSocketFactory.class.getName());
		try (Connection listening = DriverManager.getConnection(server.jdbcUrl(), properties);
				Statement statement = listening.createStatement()) {
			statement.execute("LISTEN prompt");
			server.execute("NOTIFY prompt");
			TIMEOUTS.clear();
			assertThat(listening.unwrap(PGConnection.class).getNotifications(30_000)).hasSize(1);
			assertThat(TIMEOUTS).contains(1);
		}
	}

	/**
	 * Records the timeouts of sockets.
	 */
	public static final class RecordingSocketFactory extends SocketFactory {

		@Override
		public Socket createSocket() {
			return new Socket() {

				@Override
				public void setSoTimeout(int timeout) throws SocketException {
					TIMEOUTS.add(timeout);
					super.setSoTimeout(timeout);
				}

			};
		}

		@Override
		public Socket createSocket(String host, int port) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Socket createSocket(InetAddress host, int port) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
			throw new UnsupportedOperationException();
		}

	}

}
