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
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Gives connections as a pooler in transaction mode does: every statement outside a
 * transaction is prepared in another session, which knows nothing of what the statements
 * before have set.
 */
final class HoppingDataSource extends AbstractDataSource {

	private final DataSource target;

	HoppingDataSource(DataSource target) {
		this.target = target;
	}

	@Override
	public Connection getConnection() throws SQLException {
		List<Connection> sessions = new ArrayList<>(List.of(this.target.getConnection()));
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					Connection session = sessions.get(sessions.size() - 1);
					if (method.getName().equals("close")) {
						for (Connection each : sessions) {
							each.close();
						}
						return null;
					}
					if (method.getName().equals("prepareStatement") && session.getAutoCommit()) {
						session = this.target.getConnection();
						sessions.add(session);
					}
					try {
						return method.invoke(session, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	@Override
	public Connection getConnection(String username, String password) throws SQLException {
		return getConnection();
	}

}
