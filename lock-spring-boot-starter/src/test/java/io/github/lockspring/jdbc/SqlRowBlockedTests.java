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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
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

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, false);

	private static final AcquireOptions FAIR = AcquireOptions.fair(LEASE, false);

	private static final AcquireOptions RENEWED = AcquireOptions.exclusive(LEASE, true);

	private final Map<String, Long> ends = new ConcurrentHashMap<>();

	SqlRowBlockedTests(SqlServer server) {
		super(server, EngineSettings.defaults().withOperationTimeout(LONG_TIMEOUT));
	}

	/**
	 * Whatever else the machine has to do: a lease that was granted after the row was
	 * free ends later than that by its length.
	 */
	@Test
	void leaseThatIsGrantedAfterItsRowWasBlockedIsAFullOne() throws Exception {
		List<EngineProcess> processes = this.run.startProcesses(2, this.store);
		takeTurn(processes.get(0), "free", OPTIONS);
		takeTurn(processes.get(0), "fair", FAIR);
		long asked = System.nanoTime();
		Hold held = this.run.acquire(processes.get(0), "held", RENEWED, FaultRun.MAX_WAIT);
		long freed;
		try (RowLock free = lock("free"); RowLock fair = lock("fair"); RowLock blocked = lock("held")) {
			this.run.startThread("holder",
					() -> assertThat(this.run.use("holder", asked, held, FaultRun.MAX_WAIT)).isFalse());
			this.run.startThread("free", () -> acquireOnceItIsFree(processes.get(1), "free", OPTIONS));
			this.run.startThread("fair", () -> acquireOnceItIsFree(processes.get(1), "fair", FAIR));
			this.run.startThread("held", () -> acquireOnceItIsFree(processes.get(1), "held", OPTIONS));
			Thread.sleep(BLOCKED_FOR.toMillis());
			FaultRun.eventually().until(() -> !held.isHeld());
			assertThat(this.ends).isEmpty();
			freed = this.store.micros();
		}
		this.run.awaitThreads();
		this.run.assertNoViolations();
		assertThat(this.ends).containsOnlyKeys("free", "fair", "held");
		for (String key : List.of("free", "fair", "held")) {
			assertThat(this.ends.get(key)).as(key)
				.isGreaterThanOrEqualTo(freed + SqlParameters.micros(LEASE.minus(shortening())));
		}
		assertEnd(List.of("free", "fair", "held"));
	}

	/**
	 * By how much a lease may be shorter because the clock of the database stands still
	 * while a statement waits for a row, which is not for long.
	 */
	Duration shortening() {
		return Duration.ZERO;
	}

	/**
	 * Acquires and checks that the lease does not end sooner than its holder believes.
	 */
	private void acquireOnceItIsFree(EngineProcess process, String key, AcquireOptions options) {
		long asked = System.nanoTime();
		Hold hold = null;
		while (hold == null) {
			hold = this.run.acquire(process, key, options, FaultRun.MAX_WAIT);
		}
		long now = this.store.micros();
		Duration remaining = hold.remaining();
		long end = end(key);
		this.ends.put(key, end);
		assertThat(remaining).isPositive();
		assertThat(end).as(key).isGreaterThanOrEqualTo(now + SqlParameters.micros(remaining));
		this.run.use("next", asked, hold, Duration.ZERO);
	}

	private RowLock lock(String key) {
		return this.server.lockRow(this.table, "lock_key", key.getBytes(StandardCharsets.UTF_8));
	}

	private long end(String key) {
		return this.store.admin()
			.queryForList("SELECT expires_at FROM " + this.table + " WHERE lock_key = ?", Long.class,
					key.getBytes(StandardCharsets.UTF_8))
			.get(0);
	}

}
