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
 * Configuration properties for distributed locks.
 */
@ConfigurationProperties("lock")
public class LockProperties {

	/**
	 * Lock backend. Detected from the available client by default; 'local' must be set
	 * explicitly.
	 */
	private @Nullable String backend;

	/**
	 * Additional lock backends that can be selected by name.
	 */
	private List<String> additionalBackends = new ArrayList<>();

	/**
	 * Prefix of all keys in the store, followed by a colon.
	 */
	private String keyPrefix = "lock";

	/**
	 * Maximum time to wait for a lock that is held by another owner. Zero tries once.
	 */
	private Duration waitTime = Duration.ofSeconds(5);

	/**
	 * Time after the last renewal at which a lease expires, so that others can acquire
	 * the lock if this process crashes. At least 100 milliseconds, at most one day.
	 */
	private Duration leaseTime = Duration.ofSeconds(30);

	/**
	 * Whether leases are renewed for as long as their locks are held.
	 */
	private boolean autoRenew = true;

	/**
	 * Interval between renewals of a lease. Defaults to a third of each lease time. Must
	 * be shorter than every lease time.
	 */
	private @Nullable Duration renewInterval;

	/**
	 * Timeout of a single call to the store.
	 */
	private Duration operationTimeout = Duration.ofSeconds(1);

	/**
	 * Time after which a lease is no longer renewed, because its lock is assumed to have
	 * leaked, or 'unlimited'.
	 */
	private DurationLimit maxHoldTime = DurationLimit.of(Duration.ofDays(1));

	/**
	 * Maximum number of keys that can be held or waited for at once in this process.
	 */
	private int maxKeys = 1_000_000;

	/**
	 * Maximum time to wait for locks to be released when the application shuts down.
	 */
	private Duration shutdownTimeout = Duration.ofSeconds(10);

	/**
	 * Whether startup fails if the store is unavailable.
	 */
	private boolean failFast;

	/**
	 * Whether a release returns before the store has responded, if the backend supports
	 * it.
	 */
	private boolean asyncRelease;

	/**
	 * Handling of the lock of a method that is called inside an existing transaction:
	 * hold it until the transaction has completed, or reject the call.
	 */
	private InsideTransaction insideTransaction = InsideTransaction.AFTER_COMPLETION;

	/**
	 * Handling of entities that an EntityManager of the thread has loaded before a lock
	 * is acquired: 'warn' once, 'clear' the EntityManager, or 'ignore'.
	 */
	private JpaMode jpa = JpaMode.WARN;

	/**
	 * Handling of invalid lock annotations at startup: fail, or log a warning. After a
	 * warning, a method that cannot be intercepted runs without its lock.
	 */
	private LockChecks checks = LockChecks.FAIL;

	/**
	 * Settings by lock name, which override the annotations. Names with dots are written
	 * in brackets.
	 */
	private Map<String, Named> names = new LinkedHashMap<>();

	private final HandOff handOff = new HandOff();

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

	public HandOff getHandOff() {
		return this.handOff;
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
	 * Settings for the locks of one name.
	 */
	public static class Named {

		/**
		 * Maximum time to wait for a lock of this name that is held by another owner.
		 * Zero tries once.
		 */
		private @Nullable Duration waitTime;

		/**
		 * Time after the last renewal at which a lease of this name expires. At least 100
		 * milliseconds, at most one day.
		 */
		private @Nullable Duration leaseTime;

		/**
		 * Whether leases of this name are renewed for as long as their locks are held.
		 */
		private @Nullable Boolean autoRenew;

		/**
		 * Lock backend for the locks of this name.
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
	 * Hand-off of leases between the threads of this process.
	 */
	public static class HandOff {

		/**
		 * Maximum number of times that a lease is handed off within this process before
		 * it is released to the store. Zero disables hand-off.
		 */
		private int limit = 256;

		/**
		 * Maximum time for which a lease is handed off within this process before it is
		 * released to the store.
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
	 * Interception of annotated methods.
	 */
	public static class Aop {

		/**
		 * Order of the advice. By default just outside transactions and caches; lower
		 * values are further outside.
		 */
		private int order = DistributedLockAdvisor.DEFAULT_ORDER;

		/**
		 * Interception of annotated methods: proxies, which do not intercept calls within
		 * an object, or AspectJ weaving.
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
	 * Modes of interception of annotated methods.
	 */
	public enum AopMode {

		/**
		 * Proxies: calls within an object are not intercepted.
		 */
		PROXY,

		/**
		 * AspectJ weaving: all calls are intercepted.
		 */
		ASPECTJ

	}

	/**
	 * Locks stored in Redis.
	 */
	public static class Redis {

		/**
		 * Name of the connection factory bean to use if there is more than one.
		 */
		private @Nullable String connectionFactory;

		/**
		 * Number of replicas that must acknowledge an acquisition before the lock counts
		 * as held.
		 */
		private int waitReplicas;

		/**
		 * Timeout of the acknowledgement by the replicas.
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
	 * Locks stored on a majority of independent Redis servers.
	 */
	public static class Redlock {

		/**
		 * URLs of the servers, such as redis://host:6379.
		 */
		private List<URI> nodes = new ArrayList<>();

		/**
		 * Timeout of a single server, after which the others proceed without it.
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
	 * Locks stored in ZooKeeper.
	 */
	public static class ZooKeeper {

		/**
		 * Connect string of a dedicated client, such as host:2181,host:2181/path. If not
		 * set, the client of the application is used.
		 */
		private @Nullable String connectString;

		/**
		 * Name of the CuratorFramework bean to use if there is more than one.
		 */
		private @Nullable String client;

		/**
		 * Node below which all nodes of locks are created.
		 */
		private String namespace = "lock";

		/**
		 * Session timeout of the dedicated client, after which others can acquire its
		 * locks if this process crashes. The servers limit the accepted range.
		 */
		private Duration sessionTimeout = Duration.ofSeconds(10);

		/**
		 * Connection timeout of the dedicated client, after which calls fail immediately.
		 * Defaults to half of the session timeout.
		 */
		private @Nullable Duration connectionTimeout;

		/**
		 * Credentials of the dedicated client, as a scheme and its data, such as
		 * digest:user:password. If set, other users have no access to the nodes that it
		 * creates.
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
	 * Retries of the few calls that the dedicated client makes through Curator. Calls
	 * that acquire and release locks are retried by the engine.
	 */
	public static class ZooKeeperRetry {

		/**
		 * Approximate pause before the first retry. The pauses increase with each retry.
		 */
		private Duration baseSleep = Duration.ofMillis(100);

		/**
		 * Maximum pause between retries.
		 */
		private Duration maxSleep = Duration.ofSeconds(1);

		/**
		 * Maximum number of retries of a call. Zero disables retries.
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
	 * Locks stored in a SQL database.
	 */
	public static class Jdbc {

		/**
		 * Name of the lock table, with or without its schema.
		 */
		private String tableName = "distributed_lock";

		/**
		 * Mode of lock table creation at startup.
		 */
		private SchemaInitialization initializeSchema = SchemaInitialization.EMBEDDED;

		/**
		 * Name of the data source bean to use if there is more than one.
		 */
		private @Nullable String dataSource;

		/**
		 * Maximum number of connections dedicated to locks, in addition to the pool of
		 * the application and one connection reserved for renewals. Zero takes
		 * connections from the pool.
		 */
		private int connections = 8;

		/**
		 * Whether to receive release notifications from the database, on one additional
		 * connection.
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
		 * Removal of unused rows from the lock table.
		 */
		public static class Cleanup {

			/**
			 * Whether to remove rows of keys that have not been locked for the retention
			 * time.
			 */
			private boolean enabled = true;

			/**
			 * Interval at which unused rows are removed, in the background.
			 */
			private Duration interval = Duration.ofHours(1);

			/**
			 * Time since a key was last locked after which its row is removed. At least
			 * one hour.
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
	 * Modes of release notifications from a database.
	 */
	public enum ReleaseNotification {

		/**
		 * Enabled on PostgreSQL without an intermediate connection pooler, unless the
		 * connection would have to be taken from a small pool that the application uses
		 * as well.
		 */
		AUTO,

		/**
		 * Disabled: waiting threads poll.
		 */
		OFF

	}

	/**
	 * Modes of lock table creation at startup.
	 */
	public enum SchemaInitialization {

		/**
		 * Always create the table at startup, unless it exists.
		 */
		ALWAYS,

		/**
		 * Create the table at startup, unless it exists, if the database is an in-memory
		 * database of this process.
		 */
		EMBEDDED,

		/**
		 * Never create the table.
		 */
		NEVER

	}

}
