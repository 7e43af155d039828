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
package io.github.lockspring.benchmarks.application;

import java.util.Set;

import com.zaxxer.hikari.HikariDataSource;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.JdbcTemplate;

import io.github.lockspring.benchmarks.contestant.Contestant;
import io.github.lockspring.benchmarks.contestant.LockStarter;
import io.github.lockspring.benchmarks.contestant.ShedLock;
import io.github.lockspring.benchmarks.contestant.SpringIntegration;

/**
 * An application that uses a database, with transactions.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceInitializationAutoConfiguration.class,
		JdbcTemplateAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
		TransactionAutoConfiguration.class })
@Import(LockStarterConfiguration.class)
class JdbcApplication {

	private static final String SPRING_INTEGRATION = "spring-integration";

	private static final String SHEDLOCK = "shedlock";

	static final Set<String> CONTESTANTS = Set.of(LockStarter.NAME, SPRING_INTEGRATION, SHEDLOCK);

	@Bean
	StoreUse storeUse(JdbcTemplate jdbc) {
		return new StoreUse(() -> jdbc.execute("SELECT 1"));
	}

	@Bean(destroyMethod = "")
	@Profile(StoreApplication.PLAIN)
	Contestant withoutLocks(StoreUse use) {
		return use.withoutLocks();
	}

	@Bean(destroyMethod = "")
	@Profile(SPRING_INTEGRATION)
	Contestant springIntegration(HikariDataSource dataSource) {
		return new SpringIntegration(dataSource);
	}

	@Bean(destroyMethod = "")
	@Profile(SHEDLOCK)
	Contestant shedLock(JdbcTemplate jdbc) {
		return new ShedLock(
				new JdbcTemplateLockProvider(
						JdbcTemplateLockProvider.Configuration.builder().withJdbcTemplate(jdbc).usingDbTime().build()),
				() -> {
				});
	}

}
