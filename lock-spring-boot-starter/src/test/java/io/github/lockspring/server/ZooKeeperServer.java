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
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A ZooKeeper server for tests: a real one, in a JVM of its own, on a free port of the
 * loopback interface, with its snapshots and its log in a temporary folder. As in
 * production, the log is forced to the disk before a request is answered; whatever was
 * answered outlives {@link #kill()}.
 * <p>
 * {@link #shared()} returns the server that the system property
 * {@code lock.test.zookeeper.connect} names, if it is set. Of such a server the process
 * is not ours: methods that need it abort the test.
 */
public final class ZooKeeperServer implements AutoCloseable {

	/**
	 * System property with the connect string of a server that tests are to use, such as
	 * {@code localhost:2181} or {@code localhost:2181/tests}.
	 */
	public static final String CONNECT_PROPERTY = "lock.test.zookeeper.connect";

	private static final int DEFAULT_PORT = 2181;

	private static final int TIMEOUT = 20_000;

	/**
	 * A server that is starting accepts connections that it never answers.
	 */
	private static final int TIMEOUT_AT_START = 2_000;

	private final String connectString;

	private final @Nullable Path folder;

	private final List<String> jvmOptions;

	private @Nullable ServerProcess process;

	private volatile boolean paused;

	private boolean shared;

	private ZooKeeperServer(String connectString, @Nullable Path folder, List<String> jvmOptions) {
		this.connectString = connectString;
		this.folder = folder;
		this.jvmOptions = jvmOptions;
	}

	/**
	 * Start a server.
	 * @return a running server
	 */
	public static ZooKeeperServer start() {
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
	public static ZooKeeperServer shared() {
		return Shared.SERVER;
	}

	/**
	 * Return a server whose process is not ours.
	 * @param connectString its connect string
	 * @return the server
	 */
	static ZooKeeperServer foreign(String connectString) {
		return new ZooKeeperServer(connectString, null, List.of());
	}

	/**
	 * Return the connect string for clients.
	 * @return the connect string
	 */
	public String connectString() {
		return this.connectString;
	}

	/**
	 * Return the host, the first one if the connect string has several.
	 * @return the host
	 */
	public String host() {
		String address = address();
		int colon = address.lastIndexOf(':');
		return (colon < 0) ? address : address.substring(0, colon);
	}

	/**
	 * Return the port for clients, the first one if the connect string has several.
	 * @return the port
	 */
	public int port() {
		String address = address();
		int colon = address.lastIndexOf(':');
		return (colon < 0) ? DEFAULT_PORT : Integer.parseInt(address.substring(colon + 1));
	}

	private String address() {
		return this.connectString.split("[,/]")[0];
	}

	/**
	 * Return the process id.
	 * @return the process id
	 */
	public long pid() {
		return process().pid();
	}

	/**
	 * Let the server answer a four-letter word.
	 * @param word the word, such as {@code srvr}, {@code dump} or {@code cons}
	 * @return the answer
	 * @throws UncheckedIOException if the server is away or does not answer in time
	 */
	public String fourLetterWord(String word) {
		return fourLetterWord(word, TIMEOUT);
	}

	private String fourLetterWord(String word, int timeout) {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(host(), port()), timeout);
			socket.setSoTimeout(timeout);
			socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the response to the four-letter word {@code mntr}.
	 * @return its fields, such as {@code zk_server_state}; without these while the server
	 * does not serve requests
	 */
	public Map<String, String> info() {
		return fourLetterWord("mntr").lines()
			.map((line) -> line.split("\t", 2))
			.filter((field) -> field.length == 2)
			.collect(Collectors.toMap((field) -> field[0], (field) -> field[1], (first, second) -> second));
	}

	/**
	 * Return those fields of {@link #info()} that are whole numbers.
	 * @return the counters, such as {@code zk_znode_count}, {@code zk_ephemerals_count},
	 * {@code zk_watch_count}, {@code zk_global_sessions} or {@code zk_packets_received}
	 */
	public Map<String, Long> counters() {
		return info().entrySet()
			.stream()
			.filter((field) -> field.getValue().matches("-?\\d{1,18}"))
			.collect(Collectors.toMap(Map.Entry::getKey, (field) -> Long.valueOf(field.getValue())));
	}

	/**
	 * Return the role of the server.
	 * @return {@code standalone}, {@code leader} or {@code follower}, or an empty text if
	 * it does not serve requests, stands still or is away
	 */
	public String state() {
		try {
			return isAvailable() ? info().getOrDefault("zk_server_state", "") : "";
		}
		catch (UncheckedIOException ex) {
			return "";
		}
	}

	/**
	 * Return whether the process is running and not standing still, as far as we know.
	 */
	boolean isAvailable() {
		return this.process == null || (this.process.isAlive() && !this.paused);
	}

	/**
	 * Let each fsync of the log take longer, as on a disk that is overloaded. Concerns
	 * also those under way. In an ensemble the fsync of a majority counts: with one slow
	 * disk, even that of the leader, writes continue.
	 * @param delay how much longer, {@link Duration#ZERO} for no longer
	 */
	public void delayFsync(Duration delay) {
		Path file = folder().resolve("fsync-delay");
		try {
			Path next = Files.writeString(folder().resolve("fsync-delay.next"), Long.toString(delay.toMillis()));
			Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Let the process stand still, with its connections open.
	 */
	public void pause() {
		this.paused = true;
		process().pause();
	}

	/**
	 * Resume the process.
	 */
	public void resume() {
		process().resume();
		this.paused = false;
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
	 * End the process if it is running and start it on the same port, with its data.
	 * Sessions continue, and their timeout starts again.
	 */
	public void restart() {
		end();
		launch();
		awaitAnswer();
	}

	/**
	 * End the process if it is running and start it on the same port, with its data, in
	 * which few sequence numbers are left. Not for servers of an ensemble.
	 * @param left how many of them each node has for its children
	 */
	public void restartAtLastNumbers(int left) {
		end();
		ZooKeeperData.setSequenceNumbers(folder().resolve("data"), Integer.MAX_VALUE - left);
		launch();
		awaitAnswer();
	}

	/**
	 * End the process if it is running and start it on the same port, without data. Not
	 * for servers of an ensemble.
	 */
	public void restartEmpty() {
		end();
		TemporaryFolder.delete(folder().resolve("data"));
		launch();
		awaitAnswer();
	}

	private void end() {
		if (isRunning()) {
			stop();
		}
	}

	void launch() {
		List<String> options = new ArrayList<>(this.jvmOptions);
		options.add("-Dlogback.configurationFile=" + folder().resolve("logback.xml"));
		this.process = ServerProcess.start(folder().resolve("zookeeper.log"), JavaProgram.command(options,
				"org.apache.zookeeper.server.quorum.QuorumPeerMain", folder().resolve("zoo.cfg").toString()));
		this.paused = false;
	}

	/**
	 * A server of an ensemble answers before there is a quorum.
	 */
	void awaitAnswer() {
		String word = Files.exists(folder().resolve("data/myid")) ? "ruok" : "srvr";
		String answer = word.equals("ruok") ? "imok" : "Mode: ";
		Await.until("ZooKeeper answers on port " + port(), () -> answers(word, answer));
	}

	private boolean answers(String word, String answer) {
		if (!isRunning()) {
			throw new IllegalStateException("ZooKeeper has ended: " + log());
		}
		return fourLetterWord(word, TIMEOUT_AT_START).contains(answer);
	}

	/**
	 * Return what the server has logged.
	 * @return the text of the log
	 */
	public String log() {
		try {
			return Files.readString(folder().resolve("zookeeper.log"));
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
		return (part != null) ? part : Assumptions.abort("Needs a ZooKeeper server of its own");
	}

	/**
	 * Options of a server.
	 */
	public static final class Builder {

		private static final String LOGBACK = """
				<configuration>
					<appender name="out" class="ch.qos.logback.core.ConsoleAppender">
						<encoder><pattern>%d %level %thread %logger{0} %msg%n</pattern></encoder>
					</appender>
					<root level="info"><appender-ref ref="out"/></root>
				</configuration>
				""";

		private final int port = FreePorts.next();

		private final Map<String, String> options = new LinkedHashMap<>();

		private final List<String> jvmOptions = new ArrayList<>();

		private int id;

		private Builder() {
			option("tickTime", "500");
			option("forceSync", "yes");
			option("maxClientCnxns", "0");
			option("4lw.commands.whitelist", "*");
			option("admin.enableServer", "false");
			option("metricsProvider.className", SlowDiskMetrics.class.getName());
			this.jvmOptions.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
		}

		/**
		 * Set an option, as in the configuration file of ZooKeeper.
		 * @param name the name of the option, such as {@code readonlymode.enabled}
		 * @param value its value
		 * @return this builder
		 */
		public Builder option(String name, String value) {
			this.options.put(name, value);
			return this;
		}

		/**
		 * Set a system property of the server.
		 * @param name the name of the property, such as {@code jute.maxbuffer}
		 * @param value its value
		 * @return this builder
		 */
		public Builder systemProperty(String name, String value) {
			this.jvmOptions.add("-D" + name + "=" + value);
			return this;
		}

		/**
		 * Set options of the JVM of the server, which by default is small and starts
		 * fast.
		 * @param options the options; they win over those before them
		 * @return this builder
		 */
		public Builder jvmOptions(String... options) {
			this.jvmOptions.addAll(List.of(options));
			return this;
		}

		/**
		 * Set the length of a tick, half a second by default. Sessions end at a tick.
		 * @param tick the length of a tick
		 * @return this builder
		 */
		public Builder tickTime(Duration tick) {
			return option("tickTime", Long.toString(tick.toMillis()));
		}

		/**
		 * Set the limits of the session timeouts that clients get, 2 and 20 ticks by
		 * default.
		 * @param shortest the shortest timeout
		 * @param longest the longest timeout
		 * @return this builder
		 */
		public Builder sessionTimeouts(Duration shortest, Duration longest) {
			option("minSessionTimeout", Long.toString(shortest.toMillis()));
			return option("maxSessionTimeout", Long.toString(longest.toMillis()));
		}

		/**
		 * Set how often the server looks for empty containers, each minute by default.
		 * @param interval the time between two looks
		 * @return this builder
		 */
		public Builder containerCheck(Duration interval) {
			return systemProperty("znode.container.checkIntervalMs", Long.toString(interval.toMillis()));
		}

		/**
		 * Be a server of an ensemble.
		 * @param id the number of this server
		 * @param addresses host and ports of each server, by number
		 * @return this builder
		 */
		Builder member(int id, Map<Integer, String> addresses) {
			this.id = id;
			this.options.putIfAbsent("initLimit", "20");
			this.options.putIfAbsent("syncLimit", "5");
			addresses.forEach((number, address) -> option("server." + number, address));
			return this;
		}

		/**
		 * Start the server on a free port and wait until it answers.
		 * @return a running server
		 */
		public ZooKeeperServer start() {
			ZooKeeperServer server = launch();
			server.awaitAnswer();
			return server;
		}

		ZooKeeperServer launch() {
			Path folder = TemporaryFolder.create("zookeeper-" + this.port);
			try {
				write(folder);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			ZooKeeperServer server = new ZooKeeperServer("127.0.0.1:" + this.port, folder,
					List.copyOf(this.jvmOptions));
			server.launch();
			return server;
		}

		private void write(Path folder) throws IOException {
			Path data = Files.createDirectory(folder.resolve("data"));
			if (this.id > 0) {
				Files.writeString(data.resolve("myid"), Integer.toString(this.id));
			}
			option("dataDir", data.toString());
			option("clientPort", Integer.toString(this.port));
			option("clientPortAddress", "127.0.0.1");
			option("metricsProvider.delayFile", folder.resolve("fsync-delay").toString());
			Files.writeString(folder.resolve("logback.xml"), LOGBACK);
			Files.writeString(folder.resolve("zoo.cfg"),
					this.options.entrySet()
						.stream()
						.map((option) -> option.getKey() + "=" + option.getValue() + "\n")
						.collect(Collectors.joining()));
		}

	}

	/**
	 * The server of all tests.
	 */
	private static final class Shared {

		private static final ZooKeeperServer SERVER = create();

		private static ZooKeeperServer create() {
			String connectString = System.getProperty(CONNECT_PROPERTY);
			if (connectString != null && !connectString.isEmpty()) {
				return foreign(connectString);
			}
			ZooKeeperServer server = ZooKeeperServer.start();
			server.shared = true;
			return server;
		}

	}

}
