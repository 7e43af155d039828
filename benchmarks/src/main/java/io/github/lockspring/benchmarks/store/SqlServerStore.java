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
import java.util.Objects;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import io.github.lockspring.benchmarks.application.StoreApplication;
import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.contestant.JvmLocks;
import io.github.lockspring.benchmarks.contestant.LockStarter;
import io.github.lockspring.benchmarks.contestant.PreparedUpdates;
import io.github.lockspring.benchmarks.contestant.Primitive;
import io.github.lockspring.benchmarks.contestant.ShedLock;
import io.github.lockspring.benchmarks.contestant.SpringIntegration;
import io.github.lockspring.jdbc.JdbcLockBackend;
import io.github.lockspring.jdbc.JdbcLockSchema;
import io.github.lockspring.jdbc.JdbcLockSettings;
import io.github.lockspring.jdbc.PromptSocketFactory;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.SqlServer;

/**
 * A server of PostgreSQL or MariaDB of our own, which has a commit on the disk before it
 * answers. Every contestant has a connection pool of its own, of the size that Spring
 * Boot gives it.
 */
final class SqlServerStore implements Store {

	static final String POSTGRESQL = "postgresql";

	/**
	 * The default of {@code lock.jdbc.connections}.
	 */
	private static final int OWN_CONNECTIONS = 8;

	/**
	 * Without notifications, as by {@code lock.jdbc.notify=off}.
	 */
	static final String POSTGRESQL_NOTIFY_OFF = "postgresql-notify-off";

	static final String POSTGRESQL_DISTANT = "postgresql-distant";

	static final String MARIADB = "mariadb";

	static final String MARIADB_DISTANT = "mariadb-distant";

	/**
	 * With the option of its driver that has the server keep prepared statements.
	 */
	static final String MARIADB_PREPARED = "mariadb-prepared";

	private final String name;

	private final String url;

	private final @Nullable SqlServer server;

	private final @Nullable FaultProxy proxy;

	private SqlServerStore(String name, String url, @Nullable SqlServer server, @Nullable FaultProxy proxy) {
		this.name = name;
		this.url = url;
		this.server = server;
		this.proxy = proxy;
	}

	static SqlServerStore start(String name) {
		SqlServer server = SqlProduct.of(name).start();
		String option = name.equals(MARIADB_PREPARED) ? "&useServerPrepStmts=true" : "";
		return new SqlServerStore(name, withUser(server.jdbcUrl(), server) + option, server, null).withTables();
	}

	/**
	 * All clients reach the server by a proxy that can make the way to it longer.
	 */
	static SqlServerStore startDistant(String name) {
		SqlServer server = SqlProduct.of(name).start();
		FaultProxy proxy = server.proxy();
		return new SqlServerStore(name, withUser(server.proxied(proxy), server), server, proxy).withTables();
	}

	static SqlServerStore at(String name, String url) {
		return new SqlServerStore(name, url, null, null);
	}

	private static String withUser(String url, SqlServer server) {
		return url + "?user=" + server.user() + "&password=" + server.password();
	}

	private SqlServerStore withTables() {
		try (HikariDataSource dataSource = newDataSource()) {
			new JdbcLockSchema(dataSource, JdbcLockSchema.DEFAULT_TABLE_NAME).initialize();
			new ResourceDatabasePopulator(new ClassPathResource(product().tables())).execute(dataSource);
		}
		return this;
	}

	private SqlProduct product() {
		return SqlProduct.of(this.name);
	}

	private HikariDataSource newDataSource() {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(this.url);
		return dataSource;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public List<Entrant> entrants() {
		return List.of(
				new Entrant(Entrant.FLOOR, () -> new PreparedUpdates(newDataSource(), product().insertRow()),
						Trait.DISTRIBUTED),
				new Entrant("fair-reentrant-lock", () -> new JvmLocks(true), Trait.EXCLUSIVE, Trait.WAITING),
				new Entrant(LockStarter.NAME, this::lockStarter, Trait.values()),
				new Entrant(LockStarter.RETAINING, () -> lockStarter().retaining(), Trait.values()),
				new Entrant("spring-integration", () -> new SpringIntegration(newDataSource()), Trait.values()),
				new Entrant("shedlock", this::shedLock, Trait.EXCLUSIVE, Trait.DISTRIBUTED, Trait.RENEWING));
	}

	@Override
	public List<Entrant> primitives() {
		return List.of(
				new Entrant("floor-increment",
						() -> Primitive.half(new PreparedUpdates(newDataSource(), product().insertRow())),
						Trait.DISTRIBUTED, Trait.WAITING),
				new Entrant("lock-starter-increment", () -> Primitive.increment(lockStarter()), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("lock-starter-permit", () -> Primitive.permit(lockStarter()), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("lock-starter-read", () -> Primitive.read(lockStarter()), Trait.DISTRIBUTED, Trait.WAITING),
				new Entrant("lock-starter-latch", () -> Primitive.latch(lockStarter()), Trait.DISTRIBUTED,
						Trait.WAITING));
	}

	/**
	 * As in an application with HikariCP and without settings: with connections of its
	 * own beside the pool, and with notifications where the database has them.
	 */
	private LockStarter lockStarter() {
		try (HikariDataSource pool = newDataSource()) {
			DataSource unpooled = new DriverManagerDataSource(urlOfOwnConnections(pool), pool.getUsername(),
					pool.getPassword());
			JdbcLockSettings settings = JdbcLockSettings.ofOwnConnections(JdbcLockSchema.DEFAULT_TABLE_NAME,
					OWN_CONNECTIONS);
			return LockStarter.on(new JdbcLockBackend(unpooled, settings.withListening(isNotifying())), () -> {
			});
		}
	}

	/**
	 * As the auto-configuration does: the server parses a statement once per connection,
	 * and the driver does not delay notifications.
	 */
	private String urlOfOwnConnections(HikariDataSource pool) {
		String url = pool.getJdbcUrl();
		if (product() == SqlProduct.POSTGRESQL) {
			return url + "&socketFactory=" + PromptSocketFactory.class.getName();
		}
		return url.contains("useServerPrepStmts=") ? url : url + "&useServerPrepStmts=true";
	}

	private ShedLock shedLock() {
		HikariDataSource dataSource = newDataSource();
		return new ShedLock(new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
			.withJdbcTemplate(new JdbcTemplate(dataSource))
			.usingDbTime()
			.build()), dataSource::close);
	}

	@Override
	public boolean isNotifying() {
		return product() == SqlProduct.POSTGRESQL && !this.name.equals(POSTGRESQL_NOTIFY_OFF);
	}

	@Override
	public StoreApplication application() {
		return (isNotifying() || product() != SqlProduct.POSTGRESQL) ? StoreApplication.jdbc(this.url)
				: StoreApplication.jdbc(this.url, "lock.jdbc.notify=off");
	}

	@Override
	public String address() {
		return this.url;
	}

	@Override
	public @Nullable Distance distance() {
		return (this.proxy != null) ? new ProxyDistance(this.proxy) : null;
	}

	/**
	 * The statements that the server has executed: what begins and ends a transaction is
	 * one as well, even if it is sent with the next.
	 */
	@Override
	public CommandCount countCommands() {
		SqlServer server = Objects.requireNonNull(this.server, "Only who started the store counts");
		long before = server.statementCount();
		return () -> server.statementCount() - before;
	}

	@Override
	public void close() {
		if (this.proxy != null) {
			this.proxy.close();
		}
		if (this.server != null) {
			this.server.close();
		}
	}

}
