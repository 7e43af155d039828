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
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisServer}.
 */
@Torture(alsoIn = "RedisLockBackendServerTests")
class RedisServerTortureTests {

	@Test
	void repliesAreReturnedAsValues() {
		try (RedisServer server = RedisServer.start()) {
			assertThat(server.command("PING")).isEqualTo("PONG");
			assertThat(server.command("SET", "key", "välue\r\n")).isEqualTo("OK");
			assertThat(server.command("GET", "key")).isEqualTo("välue\r\n");
			assertThat(server.command("GET", "other")).isNull();
			assertThat(server.command("INCR", "count")).isEqualTo(1L);
			assertThat(server.command("MGET", "key", "other", "count"))
				.isEqualTo(Arrays.asList("välue\r\n", null, "1"));
			assertThat(server.command("KEYS", "none")).isEqualTo(List.of());
		}
	}

	@Test
	void errorIsThrown() {
		try (RedisServer server = RedisServer.start()) {
			assertThatExceptionOfType(RedisErrorException.class).isThrownBy(() -> server.command("GET"))
				.withMessageStartingWith("ERR wrong number")
				.satisfies((ex) -> assertThat(ex.is("ERR")).isTrue());
		}
	}

	@Test
	void restartKeepsTheDataAndThePort() {
		try (RedisServer server = RedisServer.start()) {
			long pid = server.pid();
			int port = server.port();
			server.command("SET", "key", "value");
			server.restart();
			assertThat(server.command("GET", "key")).isEqualTo("value");
			assertThat(server.port()).isEqualTo(port);
			assertThat(server.pid()).isNotEqualTo(pid);
		}
	}

	@Test
	void restartAfterKillKeepsNothingWithoutAppendOnlyFile() {
		try (RedisServer server = RedisServer.start()) {
			server.command("SET", "key", "value");
			server.restart();
			server.kill();
			server.restart();
			assertThat(server.command("DBSIZE")).isEqualTo(0L);
		}
	}

	@Test
	void restartAfterKillKeepsWhatTheAppendOnlyFileHas() {
		try (RedisServer server = RedisServer.builder().appendOnly().start()) {
			server.command("SET", "key", "value");
			server.kill();
			assertThat(server.isRunning()).isFalse();
			server.restart();
			assertThat(server.command("GET", "key")).isEqualTo("value");
			server.restartEmpty();
			assertThat(server.command("GET", "key")).isNull();
		}
	}

	@Test
	void pausedServerAnswersLater() {
		try (RedisServer server = RedisServer.start();
				RedisConnection connection = new RedisConnection(server.host(), server.port(), Duration.ofSeconds(1))) {
			connection.command("PING");
			server.pause();
			connection.send("PING");
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(connection::receive);
			assertThat(server.isRunning()).isTrue();
			server.resume();
			assertThat(server.command("PING")).isEqualTo("PONG");
			assertThat(connection.receive()).isEqualTo("PONG");
		}
	}

	@Test
	void pausedServerCanBeStopped() {
		try (RedisServer server = RedisServer.start()) {
			server.pause();
			server.stop();
			assertThat(server.isRunning()).isFalse();
			assertThat(server.log()).contains("bye bye");
		}
	}

	@Test
	void optionsReachTheServer() {
		try (RedisServer server = RedisServer.builder().option("maxmemory-policy", "volatile-lru").start()) {
			assertThat(server.command("CONFIG", "GET", "maxmemory-policy"))
				.isEqualTo(List.of("maxmemory-policy", "volatile-lru"));
			assertThat(server.command("DEBUG", "SLEEP", "0")).isEqualTo("OK");
		}
	}

	@Test
	void passwordAndUserAreRequired() {
		try (RedisServer server = RedisServer.builder()
			.password("secret")
			.user("alice", "sesame", "~lock:* +@all")
			.start();
				RedisConnection connection = new RedisConnection(server.host(), server.port(), Duration.ofSeconds(5))) {
			assertThat(server.uri().getUserInfo()).isEqualTo(":secret");
			assertThat(server.command("SET", "key", "value")).isEqualTo("OK");
			assertThatExceptionOfType(RedisErrorException.class).isThrownBy(() -> connection.command("GET", "key"))
				.satisfies((ex) -> assertThat(ex.is("NOAUTH")).isTrue());
			connection.command("AUTH", "alice", "sesame");
			assertThat(connection.command("SET", "lock:key", "value")).isEqualTo("OK");
			assertThatExceptionOfType(RedisErrorException.class).isThrownBy(() -> connection.command("GET", "key"))
				.satisfies((ex) -> assertThat(ex.is("NOPERM")).isTrue());
		}
	}

	@Test
	void scriptsAreForgotten() {
		try (RedisServer server = RedisServer.start()) {
			String hash = String.valueOf(server.command("SCRIPT", "LOAD", "return 1"));
			assertThat(server.command("EVALSHA", hash, "0")).isEqualTo(1L);
			server.flushScripts();
			assertThatExceptionOfType(RedisErrorException.class).isThrownBy(() -> server.command("EVALSHA", hash, "0"))
				.satisfies((ex) -> assertThat(ex.is("NOSCRIPT")).isTrue());
		}
	}

	@Test
	void clientsOfOneTypeAreKilled() {
		try (RedisServer server = RedisServer.start();
				RedisConnection normal = server.connect();
				RedisConnection subscriber = server.connect()) {
			normal.command("PING");
			subscriber.command("SUBSCRIBE", "channel");
			assertThat(server.killClients("pubsub")).isEqualTo(1);
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(subscriber::receive);
			assertThat(normal.command("PING")).isEqualTo("PONG");
			assertThat(server.killClients("normal")).isEqualTo(1);
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> normal.command("PING"));
		}
	}

	@Test
	void closeEndsTheProcessAndDeletesTheFolder() throws Exception {
		RedisServer server = RedisServer.builder().appendOnly().start();
		ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
		String folder = ((List<?>) server.command("CONFIG", "GET", "dir")).get(1).toString();
		assertThat(Path.of(folder)).isDirectory();
		server.close();
		server.close();
		assertThat(process.isAlive()).isFalse();
		assertThat(Path.of(folder)).doesNotExist();
	}

	@Test
	void serverEndsWithTheJvmEvenWhenThatIsKilled() throws Exception {
		Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				Starter.class.getName())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		String[] words = jvm.inputReader().readLine().split(" ");
		ProcessHandle server = ProcessHandle.of(Long.parseLong(words[0])).orElseThrow();
		assertThat(server.isAlive()).isTrue();
		jvm.destroyForcibly().waitFor();
		Await.until("the server has ended", () -> !server.isAlive());
		deleteWhatTheKilledLeft(words);
	}

	private void deleteWhatTheKilledLeft(String[] words) {
		Stream.of(words).skip(1).map(Path::of).forEach(TemporaryFolder::delete);
	}

	@Test
	void sharedServerIsAlwaysTheSameAndStaysOpen() {
		RedisServer server = RedisServer.shared();
		server.close();
		assertThat(RedisServer.shared()).isSameAs(server);
		assertThat(server.command("PING")).isEqualTo("PONG");
	}

	@Test
	void processOfForeignServerIsLeftAlone() {
		try (RedisServer server = RedisServer.builder().password("secret").start()) {
			RedisServer foreign = RedisServer
				.foreign(URI.create("redis://default:secret@127.0.0.1:" + server.port() + "/3"));
			foreign.command("SET", "key", "value");
			assertThat(server.info("keyspace")).containsOnlyKeys("db3");
			assertThatExceptionOfType(TestAbortedException.class).isThrownBy(foreign::pause);
			assertThatExceptionOfType(TestAbortedException.class).isThrownBy(foreign::restartEmpty);
			assertThatExceptionOfType(TestAbortedException.class).isThrownBy(() -> foreign.killClients("normal"));
			foreign.close();
			assertThat(server.isRunning()).isTrue();
		}
	}

	/**
	 * Starts a server, prints its process id and folders, and waits to be killed.
	 */
	static final class Starter {

		private Starter() {
		}

		public static void main(String[] args) throws IOException {
			RedisServer server = RedisServer.start();
			Object folder = ((List<?>) server.command("CONFIG", "GET", "dir")).get(1);
			System.out.println(server.pid() + " " + folder + " " + RedisBinary.PATH.getParent());
			System.in.read();
		}

	}

}
