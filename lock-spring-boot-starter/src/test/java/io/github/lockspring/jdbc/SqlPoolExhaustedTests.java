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

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.SqlServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application takes all connections of the pool while it holds locks.
 */
abstract class SqlPoolExhaustedTests extends SqlFaultTests {

	private static final boolean LONG = FaultRun.SCALE > 1;

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(LONG ? 5 : 3), true);

	private static final Duration EXHAUSTED_FOR = Duration.ofSeconds(LONG ? 60 : 5);

	SqlPoolExhaustedTests(SqlServer server) {
		super(server, EngineSettings.defaults());
	}

	@Test
	void leaseIsKeptAndItsConnectionIsReleasedAfterIt() throws Exception {
		EngineProcess holder = this.run
			.startProcess(this.store.withPool((config) -> config.setConnectionTimeout(600_000)));
		EngineProcess other = this.run.startProcess(this.store);
		HikariDataSource pool = JdbcStore.pool(holder);
		CountDownLatch done = new CountDownLatch(1);
		long asked = System.nanoTime();
		Hold hold = this.run.acquire(holder, "key", OPTIONS, FaultRun.MAX_WAIT);
		for (int i = 0; i < 2 * JdbcStore.POOL_SIZE; i++) {
			this.run.startThread("application", () -> useConnection(pool, done));
		}
		FaultRun.eventually().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
		assertThat(this.run.acquire(other, "key", OPTIONS, EXHAUSTED_FOR)).isNull();
		assertThat(pool.getHikariPoolMXBean().getThreadsAwaitingConnection()).isPositive();
		assertThat(hold.isHeld()).isTrue();
		done.countDown();
		assertThat(this.run.use("holder", asked, hold, Duration.ZERO)).isTrue();
		FaultRun.eventually().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
		assertThat(this.run.losses()).isZero();
		assertEnd(List.of("key"));
	}

	private static void useConnection(HikariDataSource pool, CountDownLatch done) throws Exception {
		try (Connection connection = pool.getConnection()) {
			done.await();
		}
	}

}
