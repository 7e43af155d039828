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

package io.github.lockspring.sample.store;

import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is required of each store that we start.
 */
final class StoreCheck {

	private static final Duration AT_MOST = Duration.ofMinutes(2);

	private static final Pattern PORT = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");

	private StoreCheck() {
	}

	static void standsStillWhilePausedAndEndsWhenClosed(String option) throws Exception {
		List<ProcessHandle> others = ProcessHandle.current().descendants().toList();
		Store store = Stores.open(StoreOption.parse(option), List.of());
		List<ProcessHandle> servers = ProcessHandle.current()
			.descendants()
			.filter((process) -> !others.contains(process))
			.toList();
		try (store) {
			assertThat(servers).isNotEmpty();
			assertThat(store.name()).isEqualTo(option.split("=")[0]);
			assertThat(folders(store)).hasSize(store.name().equals("h2") ? 0 : 1);
			standsStillWhilePaused(store);
		}
		assertThat(servers).noneMatch(StoreCheck::isRunning);
		assertThat(folders(store)).isEmpty();
	}

	private static void standsStillWhilePaused(Store store) throws Exception {
		assertThat(store.isStoppable()).isTrue();
		ExecutorService executor = Executors.newSingleThreadExecutor();
		try {
			assertThat(executor.submit(() -> ask(store)).get()).isNotEmpty();
			store.pause();
			Future<String> answer = executor.submit(() -> ask(store));
			assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> answer.get(500, TimeUnit.MILLISECONDS));
			store.resume();
			assertThat(answer.get(AT_MOST.toSeconds(), TimeUnit.SECONDS)).isNotEmpty();
		}
		finally {
			executor.shutdownNow();
		}
	}

	/**
	 * Asks as an instance would, with a new connection.
	 */
	private static String ask(Store store) throws IOException, SQLException {
		return switch (store.name()) {
			case "redis" -> ask(port(store), "PING\r\n", "+PONG");
			case "zookeeper" -> ask(port(store), "ruok", "imok");
			default -> query(byName(store.arguments()));
		};
	}

	private static String ask(int port, String question, String answer) throws IOException {
		try (Socket socket = new Socket("127.0.0.1", port)) {
			socket.getOutputStream().write(question.getBytes(StandardCharsets.US_ASCII));
			byte[] bytes = socket.getInputStream().readNBytes(answer.length());
			assertThat(new String(bytes, StandardCharsets.US_ASCII)).isEqualTo(answer);
			return answer;
		}
	}

	private static String query(Map<String, String> arguments) throws SQLException {
		try (Connection connection = DriverManager.getConnection(arguments.get("--spring.datasource.url"),
				arguments.get("--spring.datasource.username"), arguments.get("--spring.datasource.password"));
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT 1")) {
			assertThat(rows.next()).isTrue();
			return rows.getString(1);
		}
	}

	static Map<String, String> byName(List<String> arguments) {
		return arguments.stream()
			.map((argument) -> argument.split("=", 2))
			.collect(Collectors.toMap((parts) -> parts[0], (parts) -> parts[1]));
	}

	private static int port(Store store) {
		Matcher port = PORT.matcher(String.join(" ", store.arguments()));
		assertThat(port.find()).isTrue();
		return Integer.parseInt(port.group(1));
	}

	/**
	 * The folders of a server; those of programs are used again.
	 */
	private static List<String> folders(Store store) {
		return Stream.of(System.getProperty("java.io.tmpdir"), System.getProperty("lock.test.folder", ""))
			.map((parent) -> new File(parent).list())
			.filter(Objects::nonNull)
			.flatMap(Arrays::stream)
			.filter((name) -> name.contains("-" + port(store) + "-"))
			.toList();
	}

	static void endsWithTheProcessThatStartedIt(String... arguments) throws Exception {
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
				"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), StoreParent.class.getName()));
		command.addAll(List.of(arguments));
		Process parent = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		try {
			assertThat(parent.inputReader().readLine()).isEqualTo(StoreParent.OPEN);
			List<ProcessHandle> servers = parent.descendants().toList();
			// PostgreSQL has some that end by themselves
			assertThat(servers).anyMatch(StoreCheck::isRunning);
			parent.destroyForcibly();
			Awaitility.await().atMost(AT_MOST).until(() -> servers.stream().noneMatch(StoreCheck::isRunning));
		}
		finally {
			parent.destroyForcibly();
		}
	}

	/**
	 * Nobody may be there to collect what is left of a child.
	 */
	private static boolean isRunning(ProcessHandle process) {
		File status = new File("/proc/" + process.pid() + "/stat");
		try {
			return process.isAlive() && !(status.exists() && Files.readString(status.toPath()).contains(") Z "));
		}
		catch (IOException ex) {
			return false;
		}
	}

}
