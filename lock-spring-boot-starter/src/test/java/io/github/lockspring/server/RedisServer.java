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
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A Redis server for tests: a real one, in a process of its own, on a free port of the
 * loopback interface, with its data in a temporary folder. Without append-only file,
 * nothing is saved when the server ends; only {@link #restart()} keeps the data.
 * <p>
 * {@link #shared()} returns the server that the system property
 * {@code lock.test.redis.url} names, if it is set. Of such a server the process is not
 * ours: methods that need it abort the test.
 */
public final class RedisServer implements AutoCloseable {

	/**
	 * System property with the URL of a server that tests are to use, such as
	 * {@code redis://user:password@localhost:6379/0}.
	 */
	public static final String URL_PROPERTY = "lock.test.redis.url";

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private final URI uri;

	private final @Nullable Path folder;

	private final boolean sentinel;

	private @Nullable ServerProcess process;

	private boolean shared;

	private RedisServer(URI uri, @Nullable Path folder, boolean sentinel) {
		this.uri = uri;
		this.folder = folder;
		this.sentinel = sentinel;
	}

	/**
	 * Start a server.
	 * @return a running server
	 */
	public static RedisServer start() {
		return builder().start();
	}

	/**
	 * Return a builder for a server with options.
	 * @return a builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Return the server for tests that just need one: that of the system property, or one
	 * that is started by the first call and lives as long as the JVM. To close it does
	 * nothing.
	 * @return the server of all tests
	 */
	public static RedisServer shared() {
		return Shared.SERVER;
	}

	/**
	 * Return the host.
	 * @return the host
	 */
	public String host() {
		return this.uri.getHost();
	}

	/**
	 * Return the port.
	 * @return the port
	 */
	public int port() {
		return (this.uri.getPort() != -1) ? this.uri.getPort() : 6379;
	}

	/**
	 * Return the URL for clients, with user and password if there are any.
	 * @return the URL
	 */
	public URI uri() {
		return this.uri;
	}

	/**
	 * Return the process id.
	 * @return the process id
	 */
	public long pid() {
		return process().pid();
	}

	/**
	 * Open a connection, as the user of the {@link #uri() URL}.
	 * @return a new connection
	 */
	public RedisConnection connect() {
		RedisConnection connection = new RedisConnection(host(), port(), TIMEOUT);
		try {
			logIn(connection);
			return connection;
		}
		catch (RuntimeException ex) {
			connection.close();
			throw ex;
		}
	}

	void logIn(RedisConnection connection) {
		String user = this.uri.getUserInfo();
		if (user != null) {
			int colon = user.indexOf(':');
			String name = (colon > 0) ? user.substring(0, colon) : "default";
			connection.command("AUTH", name, user.substring(colon + 1));
		}
		String database = this.uri.getPath();
		if (database != null && database.length() > 1) {
			connection.command("SELECT", database.substring(1));
		}
	}

	/**
	 * Send a command on a connection of its own.
	 * @param command the words of the command
	 * @return the reply, see {@link RedisConnection}
	 */
	public @Nullable Object command(String... command) {
		try (RedisConnection connection = connect()) {
			return connection.command(command);
		}
	}

	/**
	 * Return a section of {@code INFO}.
	 * @param section the name of the section
	 * @return its fields
	 */
	public Map<String, String> info(String section) {
		return String.valueOf(command("INFO", section))
			.lines()
			.filter((line) -> line.contains(":"))
			.map((line) -> line.split(":", 2))
			.collect(Collectors.toMap((field) -> field[0], (field) -> field[1]));
	}

	/**
	 * Let the server forget all scripts.
	 */
	public void flushScripts() {
		command("SCRIPT", "FLUSH", "SYNC");
	}

	/**
	 * Cut the connections of clients.
	 * @param type the type of client: {@code normal}, {@code pubsub} or {@code replica}
	 * @return how many were cut
	 */
	public long killClients(String type) {
		process();
		return (Long) requireReply(command("CLIENT", "KILL", "TYPE", type));
	}

	/**
	 * Let the process stand still, with its connections open.
	 */
	public void pause() {
		process().pause();
	}

	/**
	 * Resume the process.
	 */
	public void resume() {
		process().resume();
	}

	/**
	 * End the process in an orderly way.
	 */
	public void stop() {
		process().stop();
	}

	/**
	 * Kill the process.
	 */
	public void kill() {
		process().kill();
	}

	/**
	 * Return whether the process is running, if only standing still.
	 * @return whether the process is running
	 */
	public boolean isRunning() {
		return process().isAlive();
	}

	/**
	 * End the process if it is running and start it on the same port, with its data. Of a
	 * process that was stopped or killed before, the data is what its append-only file
	 * has.
	 */
	public void restart() {
		if (isRunning()) {
			resume();
			save();
			stop();
		}
		launch();
		delete("dump.rdb");
	}

	private void save() {
		if (!this.sentinel && "0".equals(info("persistence").get("aof_enabled"))) {
			command("SAVE");
		}
	}

	/**
	 * End the process if it is running and start it on the same port, without data.
	 */
	public void restartEmpty() {
		kill();
		delete("dump.rdb");
		delete("appendonlydir");
		launch();
	}

	private void delete(String name) {
		TemporaryFolder.delete(folder().resolve(name));
	}

	private void launch() {
		Path log = folder().resolve("redis.log");
		String configuration = folder().resolve("redis.conf").toString();
		String program = RedisBinary.PATH.toString();
		this.process = this.sentinel ? ServerProcess.start(log, program, configuration, "--sentinel")
				: ServerProcess.start(log, program, configuration);
		Await.until("Redis answers on port " + port(), this::answers);
	}

	private boolean answers() {
		if (!isRunning()) {
			throw new IllegalStateException("Redis has ended: " + log());
		}
		try (RedisConnection connection = new RedisConnection(host(), port(), TIMEOUT)) {
			connection.command("PING");
			return true;
		}
		catch (RedisErrorException ex) {
			return ex.is("NOAUTH");
		}
	}

	/**
	 * Return what the server has logged.
	 * @return the text of the log
	 */
	public String log() {
		try {
			return Files.readString(folder().resolve("redis.log"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Kill the process and delete its folder.
	 */
	@Override
	public void close() {
		if (this.folder != null && !this.shared) {
			kill();
			TemporaryFolder.delete(this.folder);
		}
	}

	private Path folder() {
		return ours(this.folder);
	}

	private ServerProcess process() {
		return ours(this.process);
	}

	private static <T> T ours(@Nullable T part) {
		return (part != null) ? part : Assumptions.abort("Needs a Redis server of its own");
	}

	private static Object requireReply(@Nullable Object reply) {
		if (reply == null) {
			throw new IllegalStateException("No reply");
		}
		return reply;
	}

	/**
	 * Return a server whose process is not a child of this one.
	 * @param uri its URL
	 * @return the server
	 */
	static RedisServer foreign(URI uri) {
		if (!"redis".equals(uri.getScheme())) {
			throw new IllegalArgumentException("Not a redis:// URL: " + uri.getScheme());
		}
		return new RedisServer(uri, null, false);
	}

	/**
	 * Options of a server.
	 */
	public static final class Builder {

		private final Map<String, String> options = new LinkedHashMap<>();

		private final StringBuilder users = new StringBuilder();

		private boolean sentinel;

		private @Nullable String password;

		private Builder() {
			option("enable-debug-command", "local");
			option("repl-diskless-sync-delay", "0");
			option("shutdown-timeout", "0");
			option("save", "\"\"");
		}

		/**
		 * Set an option, as in the configuration file of Redis.
		 * @param name the name of the option, such as {@code maxmemory-policy}
		 * @param value its value
		 * @return this builder
		 */
		public Builder option(String name, String value) {
			this.options.put(name, value);
			return this;
		}

		/**
		 * Keep an append-only file, so that the data outlives a kill.
		 * @return this builder
		 */
		public Builder appendOnly() {
			return option("appendonly", "yes");
		}

		/**
		 * Require a password of the default user.
		 * @param password the password, of letters and digits
		 * @return this builder
		 */
		public Builder password(String password) {
			this.password = password;
			return option("requirepass", password);
		}

		/**
		 * Add a user.
		 * @param name the name
		 * @param password the password, of letters and digits
		 * @param rules what the user may do, such as {@code ~lock:* +@all}
		 * @return this builder
		 */
		public Builder user(String name, String password, String rules) {
			this.users.append("user %s on >%s %s%n".formatted(name, password, rules));
			return this;
		}

		/**
		 * Be a sentinel, with these lines in the configuration.
		 * @param lines the lines that specify what to monitor
		 * @return this builder
		 */
		Builder sentinel(String lines) {
			this.sentinel = true;
			this.options.clear();
			this.users.append(lines);
			return this;
		}

		/**
		 * Start the server on a free port and wait until it answers.
		 * @return a running server
		 */
		public RedisServer start() {
			int port = FreePorts.next();
			Path folder = TemporaryFolder.create("redis-" + port);
			write(folder.resolve("redis.conf"), port, folder);
			String user = (this.password != null) ? ":" + this.password + "@" : "";
			RedisServer server = new RedisServer(URI.create("redis://" + user + "127.0.0.1:" + port), folder,
					this.sentinel);
			server.launch();
			return server;
		}

		private void write(Path file, int port, Path folder) {
			String lines = this.options.entrySet()
				.stream()
				.map((option) -> option.getKey() + " " + option.getValue() + "\n")
				.collect(Collectors.joining());
			try {
				Files.writeString(file,
						"port %d\nbind 127.0.0.1\ndir %s\n%s%s".formatted(port, folder, lines, this.users));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

	/**
	 * The server of all tests.
	 */
	private static final class Shared {

		private static final RedisServer SERVER = create();

		private static RedisServer create() {
			String url = System.getProperty(URL_PROPERTY);
			if (url != null && !url.isEmpty()) {
				return foreign(URI.create(url));
			}
			RedisServer server = RedisServer.start();
			server.shared = true;
			return server;
		}

	}

}
