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

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JdbcLockBackend} on a database in a file that two processes share.
 */
@Timeout(300)
class JdbcLockFileTests {

	@TempDir
	private Path directory;

	@Test
	void twoProcessesExcludeEachOther() throws Exception {
		String url = "jdbc:h2:file:" + this.directory.resolve("locks") + ";AUTO_SERVER=TRUE";
		try (TestDatabase database = new TestDatabase(url).createTable()) {
			JdbcLockBackend backend = new JdbcLockBackend(database.dataSource());
			LeaseRequest lease = Requests.acquired(backend, "ours");
			Process other = start(url);
			try (BufferedReader answers = other.inputReader()) {
				assertThat(answers.readLine()).isEqualTo("ours false");
				assertThat(answers.readLine()).isEqualTo("theirs true");
				assertThat(Requests.acquires(backend, Requests.of("theirs"))).isFalse();
				assertThat(backend.release(lease, Requests.TIMEOUT)).isTrue();
				proceed(other);
				assertThat(answers.readLine()).isEqualTo("ours true");
				assertThat(Requests.acquires(backend, Requests.of("theirs"))).isTrue();
				assertThat(Requests.acquires(backend, Requests.of("ours"))).isFalse();
				proceed(other);
				assertThat(other.waitFor()).isZero();
			}
			finally {
				other.destroyForcibly();
			}
			backend.close();
		}
	}

	private static Process start(String url) throws IOException {
		return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), "-Duser.timezone=Pacific/Kiritimati",
				OtherProcess.class.getName(), url)
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
	}

	private static void proceed(Process process) throws IOException {
		process.getOutputStream().write('\n');
		process.getOutputStream().flush();
	}

	/**
	 * The other process: reports what it acquires, and continues when notified to.
	 */
	static final class OtherProcess {

		private OtherProcess() {
		}

		public static void main(String[] arguments) throws IOException {
			try (TestDatabase database = new TestDatabase(arguments[0])) {
				JdbcLockBackend backend = new JdbcLockBackend(database.dataSource());
				System.out.println("ours " + Requests.acquires(backend, Requests.of("ours")));
				LeaseRequest lease = Requests.of("theirs");
				System.out.println("theirs " + Requests.acquires(backend, lease));
				System.in.read();
				backend.release(lease, Requests.TIMEOUT);
				System.out.println("ours " + Requests.acquires(backend, Requests.of("ours")));
				System.in.read();
				backend.close();
			}
		}

	}

}
