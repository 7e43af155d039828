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
import java.sql.PreparedStatement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.spi.state.ValueState;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JdbcValueBackend} on a database, beside what its contract asks for.
 */
abstract class SqlValueTests {

	private static final AtomicInteger TABLES = new AtomicInteger();

	private static final ValueChange INCREMENT = new ValueChange.Add(1, Long.MIN_VALUE);

	private final String table = "valued_" + ProcessHandle.current().pid() + "_" + TABLES.incrementAndGet();

	private final TestDatabase database;

	private final int statementsAfterOthers;

	private final SpyDataSource spy;

	private final JdbcLockBackend backend;

	private final JdbcLockBackend otherBackend;

	private final Process one;

	private final Process other;

	/**
	 * Tests a database.
	 * @param database the database
	 * @param statementsAfterOthers how many statements an update takes if another process
	 * has changed the value since
	 */
	SqlValueTests(TestDatabase database, int statementsAfterOthers) {
		this.database = database;
		this.statementsAfterOthers = statementsAfterOthers;
		this.spy = new SpyDataSource(database.dataSource());
		this.backend = new JdbcLockBackend(this.spy, this.table);
		this.otherBackend = new JdbcLockBackend(database.dataSource(), this.table);
		this.one = new Process(this.backend.values().orElseThrow());
		this.other = new Process(this.otherBackend.values().orElseThrow());
	}

	@BeforeEach
	void createTable() {
		this.database.createTable(this.table);
	}

	@AfterEach
	void close() {
		this.backend.close();
		this.otherBackend.close();
		this.database.dropTables(this.table);
		this.database.close();
	}

	@Test
	void valueIsChangedWithOneStatement() {
		assertStatements(3, () -> this.one.apply(INCREMENT));
		assertStatements(1, () -> this.one.apply(INCREMENT));
		assertStatements(1, () -> this.one.apply(new ValueChange.Set(7, ValueChange.ANY_VERSION)));
		assertStatements(1, () -> this.one.apply(new ValueChange.Replace(8, 7)));
		assertStatements(1, () -> this.one.apply(new ValueChange.Delete(ValueChange.ANY_VERSION)));
		assertThat(this.one.read()).isEqualTo(Value.ABSENT);
		this.one.apply(new ValueChange.Set(9, 0));
		assertStatements(1, () -> this.one.apply(new ValueChange.Add(-5, 0, 5)));
		assertThat(this.one.read()).isEqualTo(Value.ABSENT);
	}

	@Test
	void valueThatOthersHaveChangedIsChangedAsWell() {
		this.one.apply(INCREMENT);
		Value before = this.other.apply(INCREMENT).after();
		assertStatements(this.statementsAfterOthers,
				() -> assertThat(this.one.apply(INCREMENT).before()).isEqualTo(before));
		assertStatements(1, () -> assertThat(this.one.apply(INCREMENT).after().number()).isEqualTo(4));
	}

	@Test
	void changeWhoseConditionIsNotMetTakesTwoStatements() {
		this.one.apply(INCREMENT);
		assertStatements(2, () -> assertThat(this.one.apply(new ValueChange.Replace(8, 7)).applied()).isFalse());
	}

	@Test
	void valuesAreReadWithOneStatement() {
		List<String> keys = IntStream.range(0, 500).mapToObj((i) -> "key" + i).toList();
		assertStatements(1, () -> this.one.values.read(keys, true, Requests.TIMEOUT));
	}

	private void assertStatements(int expected, Runnable action) {
		int before = this.spy.statements().size();
		action.run();
		assertThat(this.spy.statements()).hasSize(before + expected);
	}

	@Test
	void valueThatOthersCreateMeanwhileIsChanged() {
		meanwhile(3, INCREMENT);
		ValueUpdateResult result = this.one.apply(new ValueChange.Add(10, Long.MIN_VALUE));
		assertThat(result.before().number()).isOne();
		assertThat(this.other.read()).isEqualTo(result.after());
		assertThat(result.after().number()).isEqualTo(11);
	}

	@Test
	void valueThatOthersCreateMeanwhileIsNotCreatedAgain() {
		meanwhile(3, INCREMENT);
		ValueUpdateResult result = this.one.apply(new ValueChange.Set(10, 0));
		assertThat(result.applied()).isFalse();
		assertThat(result.before()).isEqualTo(this.other.read());
		assertThat(result.before().number()).isOne();
	}

	/**
	 * Databases whose updates return nothing are asked what the update has done.
	 */
	@Test
	void resultIsThatOfTheUpdateEvenIfOthersChangeTheValueMeanwhile() {
		this.one.apply(INCREMENT);
		Value before = this.other.apply(INCREMENT).after();
		meanwhile(2, new ValueChange.Add(100, Long.MIN_VALUE));
		ValueUpdateResult result = this.one.apply(INCREMENT);
		assertThat(result.before()).isEqualTo(before);
		assertThat(result.after().number()).isEqualTo(3);
		assertThat(result.after().version()).isGreaterThan(before.version());
	}

	/**
	 * Another process changes the value before a statement.
	 * @param statement which of the next statements
	 */
	private void meanwhile(int statement, ValueChange change) {
		int number = this.spy.statements().size() + statement;
		this.spy.interfere((next) -> {
			if (this.spy.statements().size() == number) {
				this.other.apply(change);
			}
		});
	}

	@Test
	void updateIsRecognizedHoweverManyAnotherProcessHasMadeSince() {
		ValueUpdate update = this.one.update(INCREMENT);
		ValueUpdateResult result = this.one.apply(update);
		for (int i = 0; i < 2 * ValueState.MAX_UPDATES; i++) {
			this.other.apply(INCREMENT);
		}
		assertThat(this.one.apply(update.again())).isEqualTo(result);
		assertThat(this.one.read().number()).isEqualTo(1 + 2 * ValueState.MAX_UPDATES);
	}

	@Test
	void rowThatIsLockedIsWaitedFor() throws Exception {
		this.one.apply(INCREMENT);
		CompletableFuture<ValueUpdateResult> update;
		try (Connection connection = this.database.connection();
				PreparedStatement lock = connection
					.prepareStatement("SELECT 1 FROM " + this.table + "_value WHERE value_key = ? FOR UPDATE")) {
			connection.setAutoCommit(false);
			lock.setBytes(1, bytes("key"));
			lock.executeQuery();
			update = CompletableFuture.supplyAsync(() -> this.other.apply(INCREMENT));
			Thread.sleep(300); // longer than a statement waits on some databases
			assertThat(update).isNotDone();
			connection.rollback();
		}
		assertThat(update.join().after().number()).isEqualTo(2);
		assertThat(this.one.read().number()).isEqualTo(2);
	}

	@Test
	void rowOfALaterVersionIsLeftAlone() {
		this.one.apply(INCREMENT);
		this.database.jdbc().update("UPDATE " + this.table + "_value SET format = 2");
		ValueUpdate update = this.one.update(INCREMENT);
		for (Runnable call : List.<Runnable>of(() -> this.one.apply(update), () -> this.one.apply(update.again()),
				() -> this.one.read(), () -> this.one.values.read(List.of("key"), true, Requests.TIMEOUT))) {
			assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(call::run)
				.withMessageContaining("written by a later version");
		}
		assertThat(column("number")).isOne();
		assertThat(column("format")).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { " ", " no number", " 0000000000000000001 a b c" })
	void updatesThatCannotBeReadAreLeftAlone(String text) {
		this.one.apply(INCREMENT);
		this.database.jdbc().update("UPDATE " + this.table + "_value SET updates = ?", this.one.instance + text);
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> this.one.apply(this.one.update(INCREMENT).again()))
			.withMessageContaining("cannot be read");
		assertThat(column("number")).isOne();
		assertThat(this.one.read().number()).isOne();
	}

	@Test
	void versionIncreasesWhenTheRowIsDeleted() {
		Value former = this.one.apply(INCREMENT).after();
		this.database.jdbc().update("DELETE FROM " + this.table + "_value");
		assertThat(this.one.read()).isEqualTo(Value.ABSENT);
		assertThat(this.one.apply(INCREMENT).after().version()).isGreaterThan(former.version());
	}

	@Test
	void versionIncreasesWhenTheClockIsSetBack() {
		this.one.apply(INCREMENT);
		this.database.jdbc().update("UPDATE " + this.table + "_value SET version = version + 3600000000");
		long version = this.other.read().version();
		assertThat(this.one.apply(INCREMENT).after().version()).isEqualTo(version + 1);
	}

	@Test
	void droppedTableIsUnavailableUntilItIsThereAgain() {
		this.one.apply(INCREMENT);
		this.database.jdbc().execute("DROP TABLE " + this.table + "_value");
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.one.apply(INCREMENT))
			.withMessageContaining(this.table + "_value");
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(this.one::read);
		createTable();
		assertThat(this.one.apply(INCREMENT).after().number()).isOne();
	}

	@Test
	void keyThatIsTooLongIsRejectedAndNotCut() {
		ValueUpdate update = Requests.update("k".repeat(1025), INCREMENT);
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> this.one.apply(update));
		assertThat(this.one.values.read(List.of("k".repeat(1024)), false, Requests.TIMEOUT)).isEmpty();
		assertThat(this.one.apply(Requests.update("k".repeat(1024), INCREMENT)).applied()).isTrue();
	}

	private long column(String name) {
		Long value = this.database.jdbc()
			.queryForObject("SELECT " + name + " FROM " + this.table + "_value", Long.class);
		return (value != null) ? value : -1;
	}

	private static byte[] bytes(String key) {
		return key.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * A process that changes one value.
	 */
	private static final class Process {

		private final AtomicLong sequence = new AtomicLong();

		private final String instance = OwnerId.newInstance();

		private final ValueBackend values;

		Process(ValueBackend values) {
			this.values = values;
		}

		ValueUpdateResult apply(ValueChange change) {
			return apply(update(change));
		}

		ValueUpdate update(ValueChange change) {
			return new ValueUpdate("key", change, new OwnerId(this.instance, this.sequence.incrementAndGet()));
		}

		ValueUpdateResult apply(ValueUpdate update) {
			return this.values.update(update, Requests.TIMEOUT);
		}

		Value read() {
			return this.values.read(List.of("key"), false, Requests.TIMEOUT).getOrDefault("key", Value.ABSENT);
		}

	}

}
