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

package io.github.lockspring.sample.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.springframework.util.FileSystemUtils;

/**
 * A database file for all instances, in a temporary directory. With H2's automatic server
 * mode the process that opens the file first serves the others: here it is the launcher,
 * so that the database outlives each instance.
 */
final class SharedDatabase implements AutoCloseable {

	private final Path directory;

	private final String url;

	private final Connection connection;

	private SharedDatabase(Path directory) throws SQLException {
		this.directory = directory;
		this.url = "jdbc:h2:file:" + directory.resolve("stock") + ";AUTO_SERVER=TRUE;LOCK_TIMEOUT=30000";
		this.connection = DriverManager.getConnection(this.url);
	}

	static SharedDatabase open() throws IOException, SQLException {
		return new SharedDatabase(Files.createTempDirectory("lock-sample-database"));
	}

	String url() {
		return this.url;
	}

	@Override
	public void close() throws IOException, SQLException {
		this.connection.close();
		FileSystemUtils.deleteRecursively(this.directory);
	}

}
