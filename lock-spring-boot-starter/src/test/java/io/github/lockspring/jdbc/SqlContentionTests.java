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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.FaultRun.Load;
import io.github.lockspring.server.SqlServer;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads insert, take, let expire and remove the same rows, and no error of the
 * database reaches any of them, whatever isolation the pool has.
 */
abstract class SqlContentionTests extends SqlFaultTests {

	private static final int PROCESSES = 4;

	private static final int THREADS = 16;

	private static final Duration LENGTH = (FaultRun.SCALE > 1) ? Duration.ofSeconds(60) : Duration.ofMillis(1500);

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, false);

	private static final AcquireOptions SHORT = AcquireOptions.exclusive(Duration.ofMillis(200), false);

	private static final List<String> KEYS = IntStream.range(0, 50).mapToObj((i) -> "key-" + i).toList();

	private static final Load LOAD = new Load(KEYS,
			List.of(OPTIONS, OPTIONS, OPTIONS, AcquireOptions.fair(LEASE, false)),
			List.of(Duration.ZERO, Duration.ofMillis(100), Duration.ofSeconds(1)), Duration.ofMillis(2),
			Duration.ofMillis(20));

	/**
	 * That there was no connection in time, on a machine with much else to do, is none.
	 */
	private static final Pattern ERROR = Pattern.compile("SQLSTATE (40|23)|(?i)deadlock|duplicate|record has changed");

	SqlContentionTests(SqlServer server) {
		super(server, EngineSettings.defaults().withOperationTimeout(LONG_TIMEOUT));
	}

	@Test
	void noErrorReachesAnyoneThatUsesSerializableTransactions() throws Exception {
		contendWith("TRANSACTION_SERIALIZABLE");
	}

	@ParameterizedTest
	@Torture(alsoIn = "SqlContentionTests#noErrorReachesAnyoneThatUsesSerializableTransactions")
	@ValueSource(strings = { "TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ" })
	void noErrorReachesAnyone(String isolation) throws Exception {
		contendWith(isolation);
	}

	private void contendWith(String isolation) throws Exception {
		contend(this.store.withPool((config) -> {
			config.setTransactionIsolation(isolation);
			configure(config);
		}));
	}

	/**
	 * What a database needs besides.
	 */
	void configure(HikariConfig config) {
	}

	final void contend(JdbcStore store) throws Exception {
		int logged = this.server.log().length();
		List<EngineProcess> processes = this.run.startProcesses(PROCESSES, store);
		long end = System.nanoTime() + LENGTH.toNanos();
		for (EngineProcess process : processes) {
			this.run.startWorkers(process, THREADS - 2, LOAD, LENGTH);
			this.run.startThread("several", () -> acquireSeveral(process, new Random(), end));
			this.run.startThread("expiring", () -> letExpire(process, new Random(), end));
		}
		this.run.startThread("removing", () -> removeRows(store.admin(), end));
		this.run.awaitThreads();
		this.run.sayFigures();
		assertThat(this.run.unavailable).noneMatch((reason) -> ERROR.matcher(reason).find());
		assertThat(this.run.history.acquisitions()).isNotEmpty();
		assertEnd(KEYS.subList(0, 5));
		assertThat(this.server.log().substring(logged)).doesNotContainIgnoringCase("duplicate", "deadlock");
	}

	/**
	 * Acquires several keys at once, which the store may be too busy to answer in time.
	 */
	private void acquireSeveral(EngineProcess process, Random random, long end) {
		while (System.nanoTime() - end < 0) {
			List<String> keys = random.ints(4, 0, KEYS.size()).distinct().mapToObj(KEYS::get).sorted().toList();
			long asked = System.nanoTime();
			try {
				for (Hold hold : process.engine.acquireTogether(keys, OPTIONS, Thread.currentThread(),
						Long.MAX_VALUE)) {
					this.run.use("several", asked, hold, Duration.ZERO);
				}
			}
			catch (EngineException ex) {
				assertThat(ex.getReason()).isEqualTo(EngineException.Reason.UNAVAILABLE);
				requireNoError(ex);
			}
		}
	}

	/**
	 * Acquires without releasing, as a process does that dies. That everything took
	 * longer than the lease may happen.
	 */
	private void letExpire(EngineProcess process, Random random, long end) throws Exception {
		while (System.nanoTime() - end < 0) {
			try {
				Hold hold = process.engine.acquire(KEYS.get(random.nextInt(KEYS.size())), SHORT, 0);
				FaultRun.eventually().until(() -> hold == null || !hold.isHeld());
			}
			catch (EngineException ex) {
				requireNoError(ex);
			}
		}
	}

	private static void requireNoError(EngineException ex) {
		if (ERROR.matcher(String.valueOf(ex.getCause())).find()) {
			throw ex;
		}
	}

	/**
	 * Removes free rows, as the clean-up does with those that are old: whose last token,
	 * which is a time, is older than any statement that may insert the row again.
	 */
	private void removeRows(JdbcTemplate jdbc, long end) {
		Random random = new Random();
		while (System.nanoTime() - end < 0) {
			byte[] key = KEYS.get(random.nextInt(KEYS.size())).getBytes(StandardCharsets.UTF_8);
			long old = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() - 500);
			jdbc.update("DELETE FROM " + this.table
					+ " WHERE lock_key = ? AND owner IS NULL AND entries IS NULL AND shared_until = 0 AND token < ?",
					key, old);
		}
	}

}
