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

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

import io.github.lockspring.aop.DistributedLockAdvisor;

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
	 * Additional lock backends that can be selected by name. None by default.
	 */
	private List<String> additionalBackends = new ArrayList<>();

	/**
	 * Prefix of all keys in the store, followed by a colon. Defaults to 'lock:' and
	 * 'spring.application.name', or to 'lock' if the application has no name.
	 * Applications that share locks must have the same prefix. At most 126 bytes in
	 * UTF-8.
	 */
	private @Nullable String keyPrefix;

	/**
	 * Maximum time to wait for a lock that is held by another owner. At least 0s, which
	 * tries once.
	 */
	private Duration waitTime = Duration.ofSeconds(5);

	/**
	 * Time after the last renewal at which a lease expires, so that others can acquire
	 * the lock if this process crashes. At least 100ms, at most 1d.
	 */
	private Duration leaseTime = Duration.ofSeconds(30);

	/**
	 * Whether leases are renewed for as long as their locks are held.
	 */
	private boolean autoRenew = true;

	/**
	 * Interval between renewals of a lease. Defaults to a third of each lease time. At
	 * least 10ms, and shorter than every lease time.
	 */
	private @Nullable Duration renewInterval;

	/**
	 * Timeout of a single call to the store. At least 1ms, at most 1d.
	 */
	private Duration operationTimeout = Duration.ofSeconds(1);

	/**
	 * Time after which a lease is no longer renewed, because its lock is assumed to have
	 * leaked, or 'unlimited'. Longer than 0s.
	 */
	private DurationLimit maxHoldTime = DurationLimit.of(Duration.ofDays(1));

	/**
	 * Maximum number of keys that can be held or waited for at once in this process. At
	 * least 1.
	 */
	private int maxKeys = 1_000_000;

	/**
	 * Maximum time to wait for locks to be released when the application shuts down. At
	 * least 0s, which does not wait for their holders.
	 */
	private Duration shutdownTimeout = Duration.ofSeconds(10);

	/**
	 * Whether startup fails if the store is unavailable.
	 */
	private boolean failFast;

	/**
	 * Handling of the lock of a method that is called inside an existing transaction:
	 * hold it until the transaction has completed, or reject the call.
	 */
	private InsideTransaction insideTransaction = InsideTransaction.AFTER_COMPLETION;

	/**
	 * Handling of entities that an EntityManager of the thread has loaded before a lock
	 * is acquired: 'clear-outside-transaction' detaches them unless the caller has a
	 * transaction, which is warned of once; 'clear' also flushes and detaches them in a
	 * transaction; 'ignore' keeps them.
	 */
	private JpaMode jpa = JpaMode.CLEAR_OUTSIDE_TRANSACTION;

	/**
	 * Handling of invalid lock annotations at startup: fail, or log a warning. After a
	 * warning, a method that cannot be intercepted runs without its lock.
	 */
	private LockChecks checks = LockChecks.FAIL;

	/**
	 * Settings by lock name, which override the annotations. None by default. Names with
	 * dots are written in brackets.
	 */
	private Map<String, Named> names = new LinkedHashMap<>();

	private final HandOff handOff = new HandOff();

	private final Retain retain = new Retain();

	private final Aop aop = new Aop();

	@NestedConfigurationProperty
	private final RedisLockProperties redis = new RedisLockProperties();

	@NestedConfigurationProperty
	private final ZooKeeperLockProperties zookeeper = new ZooKeeperLockProperties();

	@NestedConfigurationProperty
	private final JdbcLockProperties jdbc = new JdbcLockProperties();

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

	public @Nullable String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(@Nullable String keyPrefix) {
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

	public Retain getRetain() {
		return this.retain;
	}

	public Aop getAop() {
		return this.aop;
	}

	public RedisLockProperties getRedis() {
		return this.redis;
	}

	public ZooKeeperLockProperties getZookeeper() {
		return this.zookeeper;
	}

	public JdbcLockProperties getJdbc() {
		return this.jdbc;
	}

	/**
	 * Settings for the locks of one name.
	 */
	public static class Named {

		/**
		 * Maximum time to wait for a lock of this name that is held by another owner. At
		 * least 0s, which tries once.
		 */
		private @Nullable Duration waitTime;

		/**
		 * Time after the last renewal at which a lease of this name expires. At least
		 * 100ms, at most 1d.
		 */
		private @Nullable Duration leaseTime;

		/**
		 * Whether leases of this name are renewed for as long as their locks are held.
		 */
		private @Nullable Boolean autoRenew;

		/**
		 * Time for which leases of this name are retained after their last use, to
		 * acquire the lock again without a call to the store. At least 0s, which retains
		 * none, at most 1d.
		 */
		private @Nullable Duration retain;

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

		public @Nullable Duration getRetain() {
			return this.retain;
		}

		public void setRetain(@Nullable Duration retain) {
			this.retain = retain;
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
		 * it is released to the store. At least 0, which disables hand-off, at most 256.
		 */
		private int limit = 256;

		/**
		 * Maximum time for which a lease is handed off within this process before it is
		 * released to the store. At least 0s.
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
	 * Leases that are retained after their last use.
	 */
	public static class Retain {

		/**
		 * Maximum number of keys whose leases are retained at the same time by this
		 * process. At least 0, which retains none.
		 */
		private int maxKeys = 10_000;

		public int getMaxKeys() {
			return this.maxKeys;
		}

		public void setMaxKeys(int maxKeys) {
			this.maxKeys = maxKeys;
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

}
