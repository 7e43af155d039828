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
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireTerms;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.RowLock;
import io.github.lockspring.server.SqlServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Another session locks rows for longer than a lease lasts.
 */
abstract class SqlRowBlockedTests extends SqlFaultTests {

	private static final Duration LEASE = Duration.ofSeconds(2);

	private static final Duration BLOCKED_FOR = Duration.ofSeconds(3);

	private static final AcquireTerms TERMS = AcquireTerms.exclusive(LEASE, false);

	private static final AcquireTerms FAIR = AcquireTerms.fair(LEASE, false);

	private static final AcquireTerms RENEWED = AcquireTerms.exclusive(LEASE, true);

	private final Queue<Long> ends = new ConcurrentLinkedQueue<>();

	SqlRowBlockedTests(SqlServer server) {
		super(server, EngineSettings.defaults().withOperationTimeout(LONG_TIMEOUT));
	}

	/**
	 * The end of a lease that was granted after the row was free is known to be later
	 * than that by a lease, whatever else the machine has to do.
	 */
	@Test
	void leaseThatIsGrantedAfterARowWasBlockedIsAFullOne() throws Exception {
		List<EngineProcess> processes = this.run.startProcesses(2, this.store);
		takeTurn(processes.get(0), "free", TERMS);
		takeTurn(processes.get(0), "fair", FAIR);
		long asked = System.nanoTime();
		Hold held = this.run.acquire(processes.get(0), "held", RENEWED, FaultRun.PATIENCE);
		long freed;
		try (RowLock free = lock("free"); RowLock fair = lock("fair"); RowLock blocked = lock("held")) {
			this.run.startThread("holder",
					() -> assertThat(this.run.use("holder", asked, held, FaultRun.PATIENCE)).isFalse());
			this.run.startThread("free", () -> acquireAgainAndAgain(processes.get(1), "free", TERMS));
			this.run.startThread("fair", () -> acquireAgainAndAgain(processes.get(1), "fair", FAIR));
			this.run.startThread("next", () -> acquireAgainAndAgain(processes.get(1), "held", TERMS));
			Thread.sleep(BLOCKED_FOR.toMillis());
			FaultRun.eventually().until(() -> !held.isHeld());
			assertThat(this.ends).isEmpty();
			freed = micros();
		}
		this.run.awaitThreads();
		this.run.assertNoViolations();
		assertThat(this.ends).hasSize(3)
			.allSatisfy((end) -> assertThat(end).isGreaterThanOrEqualTo(freed + LeaseTable.micros(LEASE)));
		assertEnd(List.of("free", "fair", "held"));
	}

	private RowLock lock(String key) {
		return this.server.lockRow(this.table, "lock_key", key.getBytes(StandardCharsets.UTF_8));
	}

	private void acquireAgainAndAgain(EngineProcess process, String key, AcquireTerms terms) {
		long asked = System.nanoTime();
		Hold hold = null;
		while (hold == null) {
			hold = this.run.acquire(process, key, terms, FaultRun.PATIENCE);
		}
		this.ends.add(end(key));
		this.run.use("next", asked, hold, Duration.ZERO);
	}

	private long end(String key) {
		return this.store.admin()
			.queryForList("SELECT expires_at FROM " + this.table + " WHERE lock_key = ?", Long.class,
					key.getBytes(StandardCharsets.UTF_8))
			.get(0);
	}

	/**
	 * The clock of the database.
	 */
	private long micros() {
		return this.store.admin().execute((Connection connection) -> {
			try (ResultSet rows = connection.createStatement()
				.executeQuery("SELECT " + JdbcDialect.of(connection).now())) {
				rows.next();
				return rows.getLong(1);
			}
		});
	}

}
