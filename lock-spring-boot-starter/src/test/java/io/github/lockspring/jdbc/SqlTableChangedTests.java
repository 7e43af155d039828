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

import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.SqlServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Someone changes the table, drops it or deletes a row of it while it is in use.
 */
abstract class SqlTableChangedTests extends SqlFaultTests {

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(1), true);

	private static final AcquireOptions FAIR = AcquireOptions.fair(Duration.ofSeconds(1), true);

	private final EngineProcess holder;

	private final EngineProcess other;

	SqlTableChangedTests(SqlServer server) {
		super(server, EngineSettings.defaults());
		this.holder = this.run.startProcess(this.store);
		this.other = this.run.startProcess(this.store);
	}

	@Test
	void changedTableIsUnavailableUntilItIsAsItWas() throws Exception {
		for (int i = 0; i < FaultRun.SCALE; i++) {
			loseAndRecover(() -> rename("expires_at", "gone"), () -> rename("gone", "expires_at"));
		}
		assertEnd(List.of("held", "key", "fair"));
	}

	/**
	 * Renames a column.
	 */
	void rename(String column, String name) {
		this.server.execute("ALTER TABLE %s RENAME COLUMN %s TO %s".formatted(this.table, column, name));
	}

	@Test
	void droppedTableIsUnavailableUntilItIsThere() throws Exception {
		for (int i = 0; i < FaultRun.SCALE; i++) {
			loseAndRecover(this.store::dropTable, this.store::createTable);
		}
		assertEnd(List.of("held", "key", "fair"));
	}

	private void loseAndRecover(Runnable failure, Runnable remedy) throws Exception {
		AtomicInteger notified = new AtomicInteger();
		takeTurn(this.holder, "fair", FAIR);
		long asked = System.nanoTime();
		Hold hold = this.run.acquire(this.holder, "held", OPTIONS, FaultRun.MAX_WAIT);
		hold.onLost(notified::incrementAndGet);
		Thread holding = this.run.startThread("holding",
				() -> assertThat(this.run.use("holder", asked, hold, FaultRun.MAX_WAIT)).isFalse());
		failure.run();
		int unavailable = this.run.unavailable.size();
		for (EngineProcess process : List.of(this.holder, this.other)) {
			assertThat(this.run.acquire(process, "key", OPTIONS, Duration.ZERO)).isNull();
			assertThat(this.run.acquire(process, "fair", FAIR, Duration.ofMillis(100))).isNull();
		}
		assertThat(this.run.unavailable).hasSize(unavailable + 4);
		holding.join(FaultRun.MAX_WAIT.toMillis());
		FaultRun.eventually().untilAsserted(() -> assertThat(notified).hasValue(1));
		assertThat(hold.isHeld()).isFalse();
		remedy.run();
		for (EngineProcess process : List.of(this.other, this.holder)) {
			takeTurn(process, "held", OPTIONS);
			takeTurn(process, "key", OPTIONS);
			takeTurn(process, "fair", FAIR);
		}
		assertThat(this.run.denied).hasValue(0);
	}

	@Test
	void holderWhoseRowIsDeletedIsNotified() throws Exception {
		Hold hold = this.run.acquire(this.holder, "deleted", OPTIONS, FaultRun.MAX_WAIT);
		this.server.execute("DELETE FROM " + this.table);
		FaultRun.eventually().until(() -> this.holder.lostTokens.contains(hold.token()));
		assertThat(hold.isHeld()).isFalse();
		assertThat(this.run.release(hold)).isFalse();
		Hold next = this.run.acquire(this.other, "deleted", OPTIONS, FaultRun.MAX_WAIT);
		assertThat(next.token()).isGreaterThan(hold.token());
		assertThat(this.run.release(next)).isTrue();
		assertEnd(List.of("deleted"));
	}

}
