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

package io.github.lockspring.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.annotation.Transactional;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks in a database whose pool has one connection, which the caller may have taken
 * itself. The pool would let its callers wait longer than the tests may take.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class PoolOfOneTests {

	private static final Duration MAX_WAIT = Duration.ofMinutes(1);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, AopAutoConfiguration.class,
				DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
				"spring.datasource.generate-unique-name=false", "spring.datasource.hikari.maximum-pool-size=1",
				"spring.datasource.hikari.connection-timeout=600000", "lock.backend=jdbc")
		.withUserConfiguration(Application.class);

	@Test
	void callInsideATransactionNeedsNoSecondConnection() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			shop.sellInTransaction();
			assertThat(shop.sales()).isEqualTo(2);
			assertThat(context.getBean(HikariDataSource.class).getMaximumPoolSize()).isOne();
		});
	}

	@Test
	void leaseIsRenewedWhileTheApplicationHasTheLastConnection() {
		this.runner.withPropertyValues("lock.renew-interval=300ms").run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			try (Connection last = context.getBean(DataSource.class).getConnection();
					LockHandle lock = locks.acquire("till", locks.defaultOptions())) {
				long expires = expires(last);
				Awaitility.await().atMost(MAX_WAIT).until(() -> expires(last) > expires);
				assertThat(lock.isHeld()).isTrue();
			}
		});
	}

	private static long expires(Connection connection) throws SQLException {
		return new JdbcTemplate(new SingleConnectionDataSource(connection, true))
			.queryForObject("SELECT MAX(expires_at) FROM distributed_lock", Long.class);
	}

	@Test
	void manyTransactionsThatTakeAllConnectionsLockNevertheless() {
		this.runner.withPropertyValues("spring.datasource.hikari.maximum-pool-size=4").run((context) -> {
			Shop shop = context.getBean(Shop.class);
			ExecutorService requests = Executors.newFixedThreadPool(8);
			try {
				List<Future<?>> calls = IntStream.range(0, 40)
					.<Future<?>>mapToObj((i) -> requests.submit(shop::sellInTransaction))
					.toList();
				for (Future<?> call : calls) {
					call.get();
				}
			}
			finally {
				requests.shutdownNow();
			}
			assertThat(shop.sales()).isEqualTo(80);
		});
	}

	@Test
	void whenLocksHaveNoConnectionsThenCallInsideATransactionLearnsThatItsCallerHoldsTheLastOne() {
		this.runner.withPropertyValues("lock.jdbc.connections=0", "till.wait-time=100ms").run((context) -> {
			Shop shop = context.getBean(Shop.class);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(shop::sellInTransaction)
				.havingRootCause()
				.withMessageContaining("its pool is exhausted or too small")
				.withMessageContaining("the caller itself holds the last connection in a transaction");
			assertThat(shop.sales()).isZero();
			assertThat(context.getBean(HikariDataSource.class).getMaximumPoolSize()).isOne();
		});
	}

	@Test
	void callBeforeTheTransactionNeedsNoSecondConnection() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			shop.sellLocked();
			shop.sellLocked();
			assertThat(shop.sales()).isEqualTo(2);
		});
	}

	@Test
	void whenRejectingThenCallInsideATransactionAsksForNoConnection() {
		this.runner.withPropertyValues("lock.inside-transaction=refuse").run((context) -> {
			Shop shop = context.getBean(Shop.class);
			assertThatExceptionOfType(IllegalTransactionStateException.class).isThrownBy(shop::sellInTransaction)
				.withMessageContaining("lock.inside-transaction");
			shop.sellLocked();
			assertThat(shop.sales()).isOne();
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Till till(DataSource dataSource) {
			return new Till(new JdbcTemplate(dataSource));
		}

		@Bean
		Shop shop(Till till) {
			return new Shop(till);
		}

	}

	static class Shop {

		private final Till till;

		Shop(Till till) {
			this.till = till;
		}

		@Transactional
		void sellInTransaction() {
			this.till.begin();
			this.till.sell();
		}

		void sellLocked() {
			this.till.sellInTransaction();
		}

		int sales() {
			return this.till.sales();
		}

	}

	static class Till {

		private final JdbcTemplate jdbc;

		Till(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			jdbc.execute("CREATE TABLE sales (id INT)");
		}

		void begin() {
			this.jdbc.update("INSERT INTO sales VALUES (0)");
		}

		@DistributedLock(name = "till", waitTime = "${till.wait-time:30s}")
		void sell() {
			this.jdbc.update("INSERT INTO sales VALUES (1)");
		}

		@DistributedLock(name = "till", waitTime = "30s")
		@Transactional
		void sellInTransaction() {
			this.jdbc.update("INSERT INTO sales VALUES (1)");
		}

		int sales() {
			return this.jdbc.queryForObject("SELECT COUNT(*) FROM sales", Integer.class);
		}

	}

}
