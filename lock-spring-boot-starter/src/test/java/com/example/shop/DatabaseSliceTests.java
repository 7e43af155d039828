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

package com.example.shop;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.transaction.TestTransaction;

import io.github.lockspring.test.TestLocks;

import static io.github.lockspring.test.TestLocksAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Slices of a database contain locks, which are not in the database.
 */
class DatabaseSliceTests {

	@Nested
	@DataJpaTest(properties = "lock.backend=jdbc")
	class OfJpa {

		@Autowired
		private TestLocks locks;

		@Test
		void annotatedRepositoryIsLockedUntilTheTransactionOfTheTestHasEnded(@Autowired Sales sales) {
			sales.save(new Sale(42));
			assertThat(sales.isLocked(42)).isTrue();
			assertThat(this.locks).isHeldByThisProcess("sale:42");
			TestTransaction.end();
			assertThat(this.locks).isNotHeld("sale:42");
		}

	}

	@Nested
	@JdbcTest(properties = "lock.additional-backends=jdbc")
	@Import(Orders.class)
	class OfJdbc {

		@Test
		void annotatedServiceIsLockedInMemory(@Autowired Orders orders, @Autowired TestLocks locks,
				@Autowired JdbcTemplate jdbc) {
			orders.count(42, () -> assertThat(locks.on("jdbc")).isHeldByThisProcess("stock:42"));
			orders.pay(42, () -> assertThat(locks).isHeldByThisProcess("order:42"));
			assertThat(
					jdbc.queryForList("select table_name from information_schema.tables where table_name like '%LOCK'"
							+ " and table_schema = 'PUBLIC'"))
				.isEmpty();
		}

	}

}
