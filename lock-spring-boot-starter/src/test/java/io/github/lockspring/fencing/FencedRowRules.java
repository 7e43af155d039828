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

package io.github.lockspring.fencing;

import java.util.List;
import java.util.function.Function;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.local.LocalLockBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Rules for {@link FencedUpdate}, on a database: row 1 has been written under a later
 * acquisition of the lock, and nothing that a holder can write in its place changes it.
 */
abstract class FencedRowRules {

	private static final long AHEAD = Long.MAX_VALUE;

	private final LockTemplate locks = LockTemplate.builder(new LocalLockBackend()).build();

	private final DataSource dataSource;

	private SingleConnectionDataSource connection;

	private JdbcTemplate jdbc;

	private FencedUpdates updates;

	private LockHandle lock;

	FencedRowRules(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	@BeforeEach
	void open() throws Exception {
		this.connection = new SingleConnectionDataSource(this.dataSource.getConnection(), true);
		this.jdbc = new JdbcTemplate(this.connection);
		this.updates = new FencedUpdates(this.jdbc);
		this.jdbc.execute("DROP TABLE IF EXISTS fenced_account");
		this.jdbc
			.execute("CREATE TABLE fenced_account (id INT PRIMARY KEY, balance INT, state VARCHAR(9), fence BIGINT)");
		this.jdbc.update("INSERT INTO fenced_account VALUES (1, 100, 'OPEN', ?), (2, 100, 'OPEN', NULL)", AHEAD);
		this.lock = this.locks.acquire("account", LockOptions.defaults());
	}

	@AfterEach
	void close() {
		this.lock.close();
		this.locks.close();
		this.connection.destroy();
	}

	private FencedUpdate update() {
		return this.updates.update("fenced_account");
	}

	private void assertRowIsUnchanged() {
		assertThat(this.jdbc.queryForMap("SELECT balance, state, fence FROM fenced_account WHERE id = 1").values())
			.containsExactly(100, "OPEN", AHEAD);
	}

	@Test
	void rowThatIsAheadIsNotWritten() {
		assertThatExceptionOfType(StaleLockException.class)
			.isThrownBy(() -> update().set("balance", 90).where("id", 1).where("state", "OPEN").execute(this.lock));
		assertRowIsUnchanged();
	}

	@Test
	void rowWithoutTokenIsWrittenAndGuardedFromThenOn() {
		assertThat(
				update().set("balance", 90).set("state", null).where("id", 2).where("balance", 100).execute(this.lock))
			.isEqualTo(1);
		assertThat(this.jdbc.queryForMap("SELECT balance, state, fence FROM fenced_account WHERE id = 2").values())
			.containsExactly(90, null, this.lock.fencingToken());
	}

	@Test
	void tokenAloneExcludesFormerHolders() {
		assertThat(update().where("id", 2).execute(this.lock)).isEqualTo(1);
		assertThat(this.jdbc.queryForObject("SELECT fence FROM fenced_account WHERE id = 2", Long.class))
			.isEqualTo(this.lock.fencingToken());
	}

	@Test
	void valuesAreBound() {
		String text = "'; -- ";
		assertThat(update().set("state", text).where("id", 2).where("state", "OPEN").execute(this.lock)).isEqualTo(1);
		assertThatExceptionOfType(StaleLockException.class)
			.isThrownBy(() -> update().set("state", "").where("state", "OPEN' OR '1' = '1").execute(this.lock));
		assertThat(this.jdbc.queryForObject("SELECT state FROM fenced_account WHERE id = 2", String.class))
			.isEqualTo(text);
		assertRowIsUnchanged();
	}

	@ParameterizedTest
	@ValueSource(strings = { "id = 1 OR id", "1 = 1 OR id", "NOT id", "(id", "id)", "id) OR (id", "id = id --", "id/*",
			"*/id", "id;", "id -- ", "id # ", "id, fence", "fenced_account.id", "a.fence", "id::int", ":id", "?", "@x",
			"'id'", "\"id", "id\"", "\"id\" OR \"id\"", "\"a\\\"", "` OR `id", "\"a\nb\"", "\"a'b\"", "\"a`b\"",
			"fenced_account AS x", "fenced_account, fenced_account", "fenced_account\u0000", "{fn now()}", "1", "", " ",
			"[id]", "U&\"id\"", "id\n", "\"\"", "EXISTS (SELECT 1)" })
	void whatIsNotANameIsRejected(String part) {
		assertThatIllegalArgumentException().isThrownBy(() -> update().set(part, 1));
		assertThatIllegalArgumentException().isThrownBy(() -> update().where(part, 1));
		assertThatIllegalArgumentException().isThrownBy(() -> update().fencedBy(part));
		if (!part.matches("\\w+\\.\\w+")) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.updates.update(part));
		}
	}

	/**
	 * Names that the database may read as something else.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "NOT", "or", "NULL", "DEFAULT", "CASE", "BINARY", "ROW", "ONLY", "LOW_PRIORITY", "TRUE",
			"_latin1", "current_date", "rownum", "ctid", "\"fence\"", "`fence`", "\"1 -- \"", "\"9\"", "`9`" })
	void nameThatMeansSomethingElseDoesNotBypassTheComparison(String name) {
		for (Function<FencedUpdate, FencedUpdate> part : hostile(name)) {
			assertThat(catchThrowable(() -> part.apply(update().set("balance", 90).where("id", 1)).execute(this.lock)))
				.as(name)
				.isNotNull();
			assertRowIsUnchanged();
		}
		assertThat(catchThrowable(() -> this.updates.update(name).set("balance", 90).where("id", 1).execute(this.lock)))
			.isNotNull();
		assertRowIsUnchanged();
	}

	private List<Function<FencedUpdate, FencedUpdate>> hostile(String name) {
		return List.of((update) -> update.set(name, 1), (update) -> update.where(name, 1),
				(update) -> update.where(name, name), (update) -> update.fencedBy(name));
	}

}
