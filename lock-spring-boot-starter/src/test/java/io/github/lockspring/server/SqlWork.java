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

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Something to do with a connection.
 *
 * @param <T> the type of the result
 */
public interface SqlWork<T> {

	/**
	 * Do it.
	 * @param connection the connection
	 * @return the result
	 * @throws SQLException if it fails
	 */
	T with(Connection connection) throws SQLException;

}
