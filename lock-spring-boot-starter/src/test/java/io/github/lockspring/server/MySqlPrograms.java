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

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Assumptions;

/**
 * The programs of MySQL, which are there if a build with the profile {@code mysql} has
 * unpacked them, and data of a new server.
 */
final class MySqlPrograms {

	private static final String SERVER = "bin/mysqld";

	private static final Lazy<MySqlPrograms> PROGRAMS = new Lazy<>(MySqlPrograms::new);

	private final Path home;

	private final Path data;

	private MySqlPrograms() {
		this.home = Path.of(System.getProperty(MySqlServer.HOME_PROPERTY, "target/mysql")).toAbsolutePath();
		File server = this.home.resolve(SERVER).toFile();
		Assumptions.assumeTrue(server.isFile(), "No programs of MySQL: the profile mysql brings them");
		requireToRun(server);
		this.data = ProgramFolder.get("mysql-data-" + server.length(), this::createData);
	}

	private static void requireToRun(File server) {
		if (!server.canExecute() && !server.setExecutable(true)) {
			throw new IllegalStateException("Not executable: " + server);
		}
		boolean runs = Command.succeeds(List.of(server.toString(), "--version"));
		Assumptions.assumeTrue(runs, "MySQL does not run here: libaio or libnuma may be missing");
	}

	static MySqlPrograms get() {
		return PROGRAMS.get();
	}

	private void createData(Path folder) {
		List<String> command = new ArrayList<>(List.of(this.home.resolve(SERVER).toString(), "--no-defaults",
				"--initialize-insecure", "--basedir=" + this.home, "--datadir=" + folder));
		if (Platform.isRoot()) {
			command.add("--user=root");
		}
		Command.run(command);
	}

	Path home() {
		return this.home;
	}

	void copyData(Path folder) {
		Command.copy(this.data, folder);
	}

}
