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

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

import io.github.lockspring.aop.DistributedLockAdvisor;
import io.github.lockspring.aop.InsideTransaction;
import io.github.lockspring.aop.JpaMode;
import io.github.lockspring.aop.LockChecks;

/**
 * Configuration properties of locks.
 */
@ConfigurationProperties("lock")
public class LockProperties {

	/**
	 * Where leases are kept. By default the one store that the application has a client
	 * of; 'local' must be chosen by name.
	 */
	private @Nullable String backend;

	/**
	 * Where leases are kept as well, for those who ask for it by name.
	 */
	private List<String> additionalBackends = new ArrayList<>();

	/**
	 * What all keys begin with in the store, followed by a colon.
	 */
	private String keyPrefix = "lock";

	/**
	 * How long to wait for a lock that another holds. Zero tries once.
	 */
	private Duration waitTime = Duration.ofSeconds(5);

	/**
	 * How long a lease lasts after its last renewal: the time after which others get the
	 * lock if this process dies. At least 100 milliseconds, at most one day.
	 */
	private Duration leaseTime = Duration.ofSeconds(30);

	/**
	 * Whether leases are renewed as long as their locks are held.
	 */
	private boolean autoRenew = true;

	/**
	 * How long after the last renewal the next one is due. By default a third of each
	 * lease time. Shorter than each of them.
	 */
	private @Nullable Duration renewInterval;

	/**
	 * How long one call to the store may take.
	 */
	private Duration operationTimeout = Duration.ofSeconds(1);

	/**
	 * Time after which a lease is no longer renewed, because its holder must have
	 * forgotten it, or 'unlimited'.
	 */
	private DurationLimit maxHoldTime = DurationLimit.of(Duration.ofDays(1));

	/**
	 * How many keys may be held or waited for at once in this process.
	 */
	private int maxKeys = 1_000_000;

	/**
	 * How long holders may take to finish when the application shuts down.
	 */
	private Duration shutdownTimeout = Duration.ofSeconds(10);

	/**
	 * Whether the application only starts if the store can be reached.
	 */
	private boolean failFast;

	/**
	 * Whether a release returns before the store has answered, where the backend can do
	 * that.
	 */
	private boolean asyncRelease;

	/**
	 * What becomes of the lock of a method that is called inside an open transaction: it
	 * is kept until the transaction has completed, or the call is refused.
	 */
	private InsideTransaction insideTransaction = InsideTransaction.AFTER_COMPLETION;

	/**
	 * What becomes of entities that an EntityManager of the thread has loaded before a
	 * lock is acquired: 'warn' once, 'clear' the EntityManager, or 'ignore'.
	 */
	private JpaMode jpa = JpaMode.WARN;

	/**
	 * What happens at startup when an annotation has a mistake: the application does not
	 * start, or is warned. A method that cannot be intercepted then runs without its
	 * lock.
	 */
	private LockChecks checks = LockChecks.FAIL;

	/**
	 * What holds for the locks of single names, whatever their annotations say. Names
	 * with dots are written in brackets.
	 */
	private Map<String, Named> names = new LinkedHashMap<>();

	private final HandOver handOver = new HandOver();

	private final Aop aop = new Aop();

	private final Redis redis = new Redis();

	private final ZooKeeper zookeeper = new ZooKeeper();

	private final Jdbc jdbc = new Jdbc();

	public @Nullable String getBackend() {
		return this.backend;
	}

	public void setBackend(@Nullable String backend) {
		this.backend = backend;
	}

	public List<String> getAdditionalBackends() {
		return this.additionalBackends;
	}

	public void setAdditionalBackends(List<String> additionalBackends) {
		this.additionalBackends = additionalBackends;
	}

	public String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	public Duration getWaitTime() {
		return this.waitTime;
	}

	public void setWaitTime(Duration waitTime) {
		this.waitTime = waitTime;
	}

	public Duration getLeaseTime() {
		return this.leaseTime;
	}

	public void setLeaseTime(Duration leaseTime) {
		this.leaseTime = leaseTime;
	}

	public boolean isAutoRenew() {
		return this.autoRenew;
	}

	public void setAutoRenew(boolean autoRenew) {
		this.autoRenew = autoRenew;
	}

	public @Nullable Duration getRenewInterval() {
		return this.renewInterval;
	}

	public void setRenewInterval(@Nullable Duration renewInterval) {
		this.renewInterval = renewInterval;
	}

	public Duration getOperationTimeout() {
		return this.operationTimeout;
	}

	public void setOperationTimeout(Duration operationTimeout) {
		this.operationTimeout = operationTimeout;
	}

	public DurationLimit getMaxHoldTime() {
		return this.maxHoldTime;
	}

	public void setMaxHoldTime(DurationLimit maxHoldTime) {
		this.maxHoldTime = maxHoldTime;
	}

	public int getMaxKeys() {
		return this.maxKeys;
	}

	public void setMaxKeys(int maxKeys) {
		this.maxKeys = maxKeys;
	}

	public Duration getShutdownTimeout() {
		return this.shutdownTimeout;
	}

	public void setShutdownTimeout(Duration shutdownTimeout) {
		this.shutdownTimeout = shutdownTimeout;
	}

	public boolean isFailFast() {
		return this.failFast;
	}

	public void setFailFast(boolean failFast) {
		this.failFast = failFast;
	}

	public boolean isAsyncRelease() {
		return this.asyncRelease;
	}

	public void setAsyncRelease(boolean asyncRelease) {
		this.asyncRelease = asyncRelease;
	}

	public JpaMode getJpa() {
		return this.jpa;
	}

	public void setJpa(JpaMode jpa) {
		this.jpa = jpa;
	}

	public InsideTransaction getInsideTransaction() {
		return this.insideTransaction;
	}

	public void setInsideTransaction(InsideTransaction insideTransaction) {
		this.insideTransaction = insideTransaction;
	}

	public LockChecks getChecks() {
		return this.checks;
	}

	public void setChecks(LockChecks checks) {
		this.checks = checks;
	}

	public Map<String, Named> getNames() {
		return this.names;
	}

	public void setNames(Map<String, Named> names) {
		this.names = names;
	}

	public HandOver getHandOver() {
		return this.handOver;
	}

	public Aop getAop() {
		return this.aop;
	}

	public Redis getRedis() {
		return this.redis;
	}

	public ZooKeeper getZookeeper() {
		return this.zookeeper;
	}

	public Jdbc getJdbc() {
		return this.jdbc;
	}

	/**
	 * What holds for the locks of one name.
	 */
	public static class Named {

		/**
		 * How long to wait for a lock of this name that another holds. Zero tries once.
		 */
		private @Nullable Duration waitTime;

		/**
		 * How long a lease of this name lasts after its last renewal. At least 100
		 * milliseconds, at most one day.
		 */
		private @Nullable Duration leaseTime;

		/**
		 * Whether leases of this name are renewed as long as their locks are held.
		 */
		private @Nullable Boolean autoRenew;

		/**
		 * The backend that keeps the leases of this name.
		 */
		private @Nullable String backend;

		public @Nullable Duration getWaitTime() {
			return this.waitTime;
		}

		public void setWaitTime(@Nullable Duration waitTime) {
			this.waitTime = waitTime;
		}

		public @Nullable Duration getLeaseTime() {
			return this.leaseTime;
		}

		public void setLeaseTime(@Nullable Duration leaseTime) {
			this.leaseTime = leaseTime;
		}

		public @Nullable Boolean getAutoRenew() {
			return this.autoRenew;
		}

		public void setAutoRenew(@Nullable Boolean autoRenew) {
			this.autoRenew = autoRenew;
		}

		public @Nullable String getBackend() {
			return this.backend;
		}

		public void setBackend(@Nullable String backend) {
			this.backend = backend;
		}

	}

	/**
	 * How leases are passed on among the threads of this process.
	 */
	public static class HandOver {

		/**
		 * How many times a lease is passed on inside this process before it is given back
		 * to the store. 0 never passes on.
		 */
		private int limit = 256;

		/**
		 * For how long a lease is passed on inside this process before it is given back
		 * to the store.
		 */
		private Duration span = Duration.ofMillis(20);

		public int getLimit() {
			return this.limit;
		}

		public void setLimit(int limit) {
			this.limit = limit;
		}

		public Duration getSpan() {
			return this.span;
		}

		public void setSpan(Duration span) {
			this.span = span;
		}

	}

	/**
	 * How annotated methods are locked.
	 */
	public static class Aop {

		/**
		 * The order of the advice. By default just outside transactions and caches; lower
		 * numbers are further outside.
		 */
		private int order = DistributedLockAdvisor.DEFAULT_ORDER;

		/**
		 * What puts the advice around annotated methods: proxies, which do not see calls
		 * inside an object, or the weaver of AspectJ.
		 */
		private AopMode mode = AopMode.PROXY;

		public int getOrder() {
			return this.order;
		}

		public void setOrder(int order) {
			this.order = order;
		}

		public AopMode getMode() {
			return this.mode;
		}

		public void setMode(AopMode mode) {
			this.mode = mode;
		}

	}

	/**
	 * What puts the advice around annotated methods.
	 */
	public enum AopMode {

		/**
		 * Proxies: calls inside an object are not locked.
		 */
		PROXY,

		/**
		 * The weaver of AspectJ: all calls are locked.
		 */
		ASPECTJ

	}

	/**
	 * Locks in Redis.
	 */
	public static class Redis {

		/**
		 * The name of the connection factory bean to use if there are several.
		 */
		private @Nullable String connectionFactory;

		/**
		 * How many replicas must have confirmed a grant before it counts.
		 */
		private int waitReplicas;

		/**
		 * How long to wait for the replicas' confirmation.
		 */
		private Duration waitTimeout = Duration.ofMillis(500);

		private final Redlock redlock = new Redlock();

		public @Nullable String getConnectionFactory() {
			return this.connectionFactory;
		}

		public void setConnectionFactory(@Nullable String connectionFactory) {
			this.connectionFactory = connectionFactory;
		}

		public int getWaitReplicas() {
			return this.waitReplicas;
		}

		public void setWaitReplicas(int waitReplicas) {
			this.waitReplicas = waitReplicas;
		}

		public Duration getWaitTimeout() {
			return this.waitTimeout;
		}

		public void setWaitTimeout(Duration waitTimeout) {
			this.waitTimeout = waitTimeout;
		}

		public Redlock getRedlock() {
			return this.redlock;
		}

	}

	/**
	 * Locks on a majority of independent Redis servers.
	 */
	public static class Redlock {

		/**
		 * The URLs of the servers, such as redis://host:6379.
		 */
		private List<URI> nodes = new ArrayList<>();

		/**
		 * How long a server may take to answer before the others go on without it.
		 */
		private Duration nodeTimeout = Duration.ofMillis(100);

		public List<URI> getNodes() {
			return this.nodes;
		}

		public void setNodes(List<URI> nodes) {
			this.nodes = nodes;
		}

		public Duration getNodeTimeout() {
			return this.nodeTimeout;
		}

		public void setNodeTimeout(Duration nodeTimeout) {
			this.nodeTimeout = nodeTimeout;
		}

	}

	/**
	 * Locks in ZooKeeper.
	 */
	public static class ZooKeeper {

		/**
		 * The servers that a client of our own connects to, such as
		 * host:2181,host:2181/path. Without it the client of the application is used.
		 */
		private @Nullable String connectString;

		/**
		 * The name of the CuratorFramework bean to use if there are several.
		 */
		private @Nullable String client;

		/**
		 * The node below which all nodes of locks are kept.
		 */
		private String namespace = "lock";

		/**
		 * How long the servers keep the session of a client of our own without hearing
		 * from it: the time after which others get its locks if this process dies. The
		 * servers have limits of their own.
		 */
		private Duration sessionTimeout = Duration.ofSeconds(10);

		/**
		 * How long a client of our own may take to connect before calls fail at once. By
		 * default half of the session time-out.
		 */
		private @Nullable Duration connectionTimeout;

		/**
		 * Who a client of our own is, as a scheme and what it asks for, such as
		 * digest:user:password. Others then have no access to what it creates.
		 */
		private @Nullable String auth;

		private final ZooKeeperRetry retry = new ZooKeeperRetry();

		public @Nullable String getConnectString() {
			return this.connectString;
		}

		public void setConnectString(@Nullable String connectString) {
			this.connectString = connectString;
		}

		public @Nullable String getClient() {
			return this.client;
		}

		public void setClient(@Nullable String client) {
			this.client = client;
		}

		public String getNamespace() {
			return this.namespace;
		}

		public void setNamespace(String namespace) {
			this.namespace = namespace;
		}

		public Duration getSessionTimeout() {
			return this.sessionTimeout;
		}

		public void setSessionTimeout(Duration sessionTimeout) {
			this.sessionTimeout = sessionTimeout;
		}

		public @Nullable Duration getConnectionTimeout() {
			return this.connectionTimeout;
		}

		public void setConnectionTimeout(@Nullable Duration connectionTimeout) {
			this.connectionTimeout = connectionTimeout;
		}

		public @Nullable String getAuth() {
			return this.auth;
		}

		public void setAuth(@Nullable String auth) {
			this.auth = auth;
		}

		public ZooKeeperRetry getRetry() {
			return this.retry;
		}

	}

	/**
	 * How a client of our own repeats the few calls that Curator makes. Those that
	 * acquire and release are repeated by the engine.
	 */
	public static class ZooKeeperRetry {

		/**
		 * How long to pause before the first repetition, about. The pauses grow.
		 */
		private Duration baseSleep = Duration.ofMillis(100);

		/**
		 * The longest pause between repetitions.
		 */
		private Duration maxSleep = Duration.ofSeconds(1);

		/**
		 * How many times a call is repeated. Zero never repeats.
		 */
		private int maxRetries = 3;

		public Duration getBaseSleep() {
			return this.baseSleep;
		}

		public void setBaseSleep(Duration baseSleep) {
			this.baseSleep = baseSleep;
		}

		public Duration getMaxSleep() {
			return this.maxSleep;
		}

		public void setMaxSleep(Duration maxSleep) {
			this.maxSleep = maxSleep;
		}

		public int getMaxRetries() {
			return this.maxRetries;
		}

		public void setMaxRetries(int maxRetries) {
			this.maxRetries = maxRetries;
		}

	}

	/**
	 * How leases are kept in a SQL database.
	 */
	public static class Jdbc {

		/**
		 * The name of the table, with or without its schema.
		 */
		private String tableName = "distributed_lock";

		/**
		 * When to create the table at startup.
		 */
		private SchemaInitialization initializeSchema = SchemaInitialization.EMBEDDED;

		/**
		 * The name of the data source bean to use if there are several.
		 */
		private @Nullable String dataSource;

		/**
		 * How many connections locks have for themselves at most, beside the pool of the
		 * application and one that is left for renewals. 0 to take them from the pool.
		 */
		private int connections = 8;

		/**
		 * Whether the database is asked to tell of releases, on one more connection.
		 */
		private ReleaseNotification notify = ReleaseNotification.AUTO;

		private final Cleanup cleanup = new Cleanup();

		public String getTableName() {
			return this.tableName;
		}

		public void setTableName(String tableName) {
			this.tableName = tableName;
		}

		public SchemaInitialization getInitializeSchema() {
			return this.initializeSchema;
		}

		public void setInitializeSchema(SchemaInitialization initializeSchema) {
			this.initializeSchema = initializeSchema;
		}

		public @Nullable String getDataSource() {
			return this.dataSource;
		}

		public void setDataSource(@Nullable String dataSource) {
			this.dataSource = dataSource;
		}

		public int getConnections() {
			return this.connections;
		}

		public void setConnections(int connections) {
			this.connections = connections;
		}

		public ReleaseNotification getNotify() {
			return this.notify;
		}

		public void setNotify(ReleaseNotification notify) {
			this.notify = notify;
		}

		public Cleanup getCleanup() {
			return this.cleanup;
		}

		/**
		 * The removal of rows of keys that nobody has locked for long.
		 */
		public static class Cleanup {

			/**
			 * Whether to remove rows of keys that nobody has locked for long.
			 */
			private boolean enabled = true;

			/**
			 * How often to look for such rows, in the background.
			 */
			private Duration interval = Duration.ofHours(1);

			/**
			 * How long nobody must have locked the key. At least one hour.
			 */
			private Duration retention = Duration.ofDays(1);

			public boolean isEnabled() {
				return this.enabled;
			}

			public void setEnabled(boolean enabled) {
				this.enabled = enabled;
			}

			public Duration getInterval() {
				return this.interval;
			}

			public void setInterval(Duration interval) {
				this.interval = interval;
			}

			public Duration getRetention() {
				return this.retention;
			}

			public void setRetention(Duration retention) {
				this.retention = retention;
			}

		}

	}

	/**
	 * Whether a database tells of releases.
	 */
	public enum ReleaseNotification {

		/**
		 * If it is PostgreSQL without a pooler in between, and the connection need not
		 * come from a small pool that the application uses as well.
		 */
		AUTO,

		/**
		 * Never: those who wait ask again and again.
		 */
		OFF

	}

	/**
	 * When the table of locks is created.
	 */
	public enum SchemaInitialization {

		/**
		 * At every start, unless it is there.
		 */
		ALWAYS,

		/**
		 * At every start, unless it is there, if the database is in the memory of this
		 * process.
		 */
		EMBEDDED,

		/**
		 * Never.
		 */
		NEVER

	}

}
