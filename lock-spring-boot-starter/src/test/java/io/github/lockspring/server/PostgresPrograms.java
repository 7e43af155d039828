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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.tukaani.xz.XZInputStream;

/**
 * The programs of PostgreSQL, and data of a new server with a database and a user.
 */
final class PostgresPrograms {

	private static final String SETUP = """
			CREATE USER locks;

			CREATE DATABASE locks OWNER locks;

			CREATE EXTENSION pg_stat_statements;

			""";

	/**
	 * Command for a user namespace. PostgreSQL does not run as root: in a user namespace
	 * root is an unprivileged user that still owns the files. If namespaces are
	 * forbidden, the system user {@code nobody} runs it.
	 */
	private static final List<String> NAMESPACE = List.of("unshare", "-U");

	private static final List<String> SETPRIV = List.of("setpriv", "--reuid=nobody", "--clear-groups");

	private static final Lazy<PostgresPrograms> PROGRAMS = new Lazy<>(() -> new PostgresPrograms(runner()));

	private final List<String> runner;

	private final Path bin;

	private final Path data;

	private PostgresPrograms(List<String> runner) {
		this.runner = runner;
		Platform.requireLinux("PostgreSQL");
		URL archive = archive();
		long version = length(archive);
		this.bin = ProgramFolder.get("postgres-" + version, (folder) -> unpack(archive, folder)).resolve("bin");
		this.data = ProgramFolder.get("postgres-data-" + version, this::createData);
	}

	static PostgresPrograms get() {
		return PROGRAMS.get();
	}

	static PostgresPrograms withSetpriv() {
		return new PostgresPrograms(SETPRIV);
	}

	private static List<String> runner() {
		if (!Platform.isRoot()) {
			return List.of();
		}
		List<String> attempt = new ArrayList<>(NAMESPACE);
		attempt.add("true");
		return Command.succeeds(attempt) ? NAMESPACE : SETPRIV;
	}

	private static URL archive() {
		String name = "postgres-linux-" + (Platform.isArm() ? "arm_64" : "x86_64") + ".txz";
		URL archive = PostgresPrograms.class.getResource("/" + name);
		if (archive == null) {
			throw new IllegalStateException("No " + name + " on the class path");
		}
		return archive;
	}

	private static long length(URL archive) {
		try {
			return archive.openConnection().getContentLengthLong();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void unpack(URL archive, Path folder) throws IOException {
		try (InputStream input = new XZInputStream(archive.openStream())) {
			Command.run(List.of("tar", "-x", "-C", folder.toString()), input);
		}
	}

	private void createData(Path folder) {
		own(folder);
		Command.run(command("initdb", "-D", folder.toString(), "-U", "postgres", "-A", "trust", "-E", "UTF8",
				"--no-locale", "--no-sync"));
		Command.run(command("postgres", "--single", "-j", "-D", folder.toString(), "-F", "postgres"),
				new ByteArrayInputStream(SETUP.getBytes(StandardCharsets.UTF_8)));
	}

	/**
	 * Create a data folder for a new server.
	 * @param folder the data folder, which does not exist yet, in a folder of the server
	 */
	void copyData(Path folder) {
		Command.copy(this.data, folder);
		own(folder.getParent());
	}

	private void own(Path folder) {
		if (this.runner == SETPRIV) {
			Command.run(List.of("chown", "-R", "nobody", folder.toString()));
		}
	}

	/**
	 * Return how to run a program.
	 * @param program the name of the program
	 * @param arguments its arguments
	 * @return the command
	 */
	List<String> command(String program, String... arguments) {
		List<String> command = new ArrayList<>(this.runner);
		command.add(this.bin.resolve(program).toString());
		command.addAll(List.of(arguments));
		return command;
	}

}
