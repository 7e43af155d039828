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

package io.github.lockspring.benchmarks.store;

import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import io.github.lockspring.benchmarks.application.StoreApplication;
import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.contestant.JvmLocks;
import io.github.lockspring.benchmarks.contestant.LockStarter;
import io.github.lockspring.benchmarks.contestant.RawUpdates;
import io.github.lockspring.benchmarks.contestant.ShedLock;
import io.github.lockspring.benchmarks.contestant.SpringIntegration;
import io.github.lockspring.benchmarks.process.JavaProcess;
import io.github.lockspring.jdbc.JdbcLockBackend;
import io.github.lockspring.jdbc.JdbcLockSchema;

/**
 * H2 with its data in memory, in this process or in a server of its own. Every contestant
 * has a connection pool of its own, as Spring Boot configures it.
 */
final class H2Store implements Store {

	static final String NAME = "h2";

	static final String SERVER_NAME = "h2-server";

	private static final String DATABASE = "mem:benchmarks;DB_CLOSE_DELAY=-1";

	private static final String USER = "sa";

	private static final String USER_PROPERTY = "spring.datasource.username=" + USER;

	private static final String TABLES = "tables-h2.sql";

	private final String name;

	private final String url;

	private final @Nullable String address;

	private final @Nullable JavaProcess server;

	private final HikariDataSource dataSource;

	private H2Store(String name, String url, @Nullable String address, @Nullable JavaProcess server) {
		this.name = name;
		this.url = url;
		this.address = address;
		this.server = server;
		this.dataSource = newDataSource();
	}

	static H2Store inThisProcess() {
		return new H2Store(NAME, "jdbc:h2:" + DATABASE, null, null).withTables();
	}

	static H2Store withServer() {
		JavaProcess server = new JavaProcess(H2Server.class);
		String address = "localhost:" + server.receive();
		return new H2Store(SERVER_NAME, url(address), address, server).withTables();
	}

	static H2Store at(String address) {
		return new H2Store(SERVER_NAME, url(address), address, null);
	}

	private static String url(String address) {
		return "jdbc:h2:tcp://" + address + "/" + DATABASE;
	}

	private H2Store withTables() {
		new JdbcLockSchema(this.dataSource, JdbcLockSchema.DEFAULT_TABLE_NAME).initialize();
		new ResourceDatabasePopulator(new ClassPathResource(TABLES)).execute(this.dataSource);
		return this;
	}

	private HikariDataSource newDataSource() {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(this.url);
		dataSource.setUsername(USER);
		return dataSource;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public List<Entrant> entrants() {
		return List.of(new Entrant(Entrant.FLOOR, () -> new RawUpdates(newDataSource()), Trait.DISTRIBUTED),
				new Entrant("fair-reentrant-lock", () -> new JvmLocks(true), Trait.EXCLUSIVE, Trait.WAITING),
				new Entrant(LockStarter.NAME, this::lockStarter, Trait.values()),
				new Entrant("spring-integration", () -> new SpringIntegration(newDataSource()), Trait.values()),
				new Entrant("shedlock", this::shedLock, Trait.EXCLUSIVE, Trait.DISTRIBUTED, Trait.RENEWING));
	}

	private LockStarter lockStarter() {
		HikariDataSource dataSource = newDataSource();
		return LockStarter.on(new JdbcLockBackend(dataSource), dataSource::close);
	}

	private ShedLock shedLock() {
		HikariDataSource dataSource = newDataSource();
		return new ShedLock(new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
			.withJdbcTemplate(new JdbcTemplate(dataSource))
			.usingDbTime()
			.build()), dataSource::close);
	}

	@Override
	public @Nullable String address() {
		return this.address;
	}

	@Override
	public boolean isNotifying() {
		return false;
	}

	/**
	 * Without a server it has a database of its own, where the tables of contestants are
	 * created when it starts, be there contestants or not.
	 */
	@Override
	public StoreApplication application() {
		if (this.address != null) {
			return StoreApplication.jdbc(this.url, USER_PROPERTY);
		}
		return StoreApplication.jdbc(this.url, USER_PROPERTY, "spring.sql.init.schema-locations=classpath:" + TABLES);
	}

	@Override
	public CommandCount countCommands() {
		return new QueryStatistics(new JdbcTemplate(this.dataSource));
	}

	@Override
	public void close() {
		this.dataSource.close();
		if (this.server != null) {
			this.server.close();
		}
	}

	private static final class QueryStatistics implements CommandCount {

		private final JdbcTemplate jdbc;

		private QueryStatistics(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			jdbc.execute("SET QUERY_STATISTICS TRUE");
		}

		@Override
		public long soFar() {
			Long commands = this.jdbc
				.queryForObject("SELECT SUM(execution_count) FROM information_schema.query_statistics", Long.class);
			return (commands != null) ? commands : 0;
		}

		/**
		 * Forgets them as well.
		 */
		@Override
		public void close() {
			this.jdbc.execute("SET QUERY_STATISTICS FALSE");
		}

	}

}
