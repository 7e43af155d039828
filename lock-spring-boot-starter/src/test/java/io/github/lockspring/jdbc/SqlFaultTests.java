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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.SqlServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What tests have in common in which something goes wrong with a database server. Each
 * has a table of its own.
 */
abstract class SqlFaultTests {

	/**
	 * How long a call to the database may take, on a machine with much else to do.
	 */
	static final Duration LONG_TIMEOUT = Duration.ofSeconds(20);

	private static final AtomicInteger TABLES = new AtomicInteger();

	final String table = "faults_" + ProcessHandle.current().pid() + "_" + TABLES.incrementAndGet();

	final SqlServer server;

	final JdbcStore store;

	final FaultRun run;

	SqlFaultTests(SqlServer server) {
		this(server, EngineSettings.defaults());
	}

	SqlFaultTests(SqlServer server, EngineSettings settings) {
		this.server = server;
		this.store = JdbcStore.on(server, this.table);
		this.run = new FaultRun(getClass().getName().replaceFirst(".*\\.", "").replace('$', ' '), settings);
	}

	@BeforeEach
	final void createTable() {
		this.store.createTable();
	}

	@AfterEach
	final void end() {
		this.run.close();
		this.store.dropTable();
	}

	/**
	 * Acquires, uses and releases, which succeeds in the end.
	 */
	final void takeTurn(EngineProcess process, String key, AcquireOptions options) {
		long asked = System.nanoTime();
		Hold hold = null;
		while (hold == null) {
			assertThat(System.nanoTime() - asked).as(key).isLessThan(FaultRun.MAX_WAIT.toNanos());
			hold = this.run.acquire(process, key, options, FaultRun.MAX_WAIT);
		}
		this.run.use(Thread.currentThread().getName(), asked, hold, Duration.ofMillis(1));
	}

	/**
	 * Everyone gets on again, nothing was wrong before, and nothing is left.
	 */
	final void assertEnd(List<String> keys) throws InterruptedException {
		this.run.awaitThreads();
		this.run.assertEveryoneAcquires(keys);
		this.run.sayFigures();
		this.run.assertNoViolations();
		this.run.assertExclusion();
		this.run.assertNothingLeft(this.store::assertNothingLeft);
	}

}
