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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.aop.LockDefaults;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.redis.RedisLockSettings;
import io.github.lockspring.zookeeper.ZooKeeperLockSettings;

/**
 * Validated properties, and the settings that they specify.
 */
final class LockSettings {

	/**
	 * Name of the auto-configured template.
	 */
	static final String TEMPLATE = "io.github.lockspring.lockTemplate";

	private static final Pattern PLAIN_NAME = Pattern.compile("[a-z0-9-]+");

	private static final Pattern NODE_NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*");

	private static final Duration MILLISECOND = Duration.ofMillis(1);

	private static final Duration MIN_RENEW_INTERVAL = Duration.ofMillis(10);

	private static final Duration DAY = Duration.ofDays(1);

	/**
	 * Maximum number of retries supported by Curator.
	 */
	private static final int MAX_RETRIES = 29;

	private final LockProperties properties;

	private final KeyPrefix keyPrefix;

	private final String application;

	private LockSettings(LockProperties properties, @Nullable String application) {
		this.properties = properties;
		this.keyPrefix = KeyPrefix.of(properties.getKeyPrefix(), application);
		this.application = (application != null) ? application : "";
	}

	/**
	 * Validate properties.
	 * @param properties the properties
	 * @param applicationName the name of the application, or {@code null}
	 * @return the settings
	 * @throws InvalidConfigurationPropertyValueException if one of them is out of range
	 */
	static LockSettings of(LockProperties properties, @Nullable String applicationName) {
		LockSettings settings = new LockSettings(properties, applicationName);
		settings.checkTimes();
		settings.checkRenewInterval();
		settings.checkNumbers();
		settings.checkZooKeeper();
		settings.checkNames();
		return settings;
	}

	private void checkTimes() {
		requireWaitTime("lock.wait-time", this.properties.getWaitTime());
		requireLeaseTime("lock.lease-time", this.properties.getLeaseTime());
		requireMillis("lock.operation-timeout", this.properties.getOperationTimeout());
		Duration hold = this.properties.getMaxHoldTime().toDuration();
		require(!hold.isNegative() && !hold.isZero(), "lock.max-hold-time", hold, "It must be longer than zero.");
		Duration grace = this.properties.getShutdownTimeout();
		require(!grace.isNegative(), "lock.shutdown-timeout", grace, "It must be zero or longer.");
	}

	private void checkRenewInterval() {
		Duration interval = this.properties.getRenewInterval();
		if (interval != null) {
			require(interval.compareTo(MIN_RENEW_INTERVAL) >= 0, "lock.renew-interval", interval,
					"It must be %s or longer.", MIN_RENEW_INTERVAL);
			Duration lease = this.properties.getLeaseTime();
			require(interval.compareTo(lease) < 0, "lock.renew-interval", interval,
					"It must be shorter than lock.lease-time, which is %s.", lease);
		}
	}

	private void checkNumbers() {
		int limit = this.properties.getHandOff().getLimit();
		require(limit >= 0 && limit <= AcquireOptions.MAX_HAND_OFFS, "lock.hand-off.limit", limit,
				"It must be between 0 and " + AcquireOptions.MAX_HAND_OFFS + '.');
		Duration span = this.properties.getHandOff().getSpan();
		require(!span.isNegative(), "lock.hand-off.span", span, "It must be zero or longer.");
		int replicas = this.properties.getRedis().getWaitReplicas();
		require(replicas >= 0, "lock.redis.wait-replicas", replicas, "It must be zero (no replicas) or more.");
		requireMillis("lock.redis.wait-timeout", this.properties.getRedis().getWaitTimeout());
		requireMillis("lock.redis.redlock.node-timeout", this.properties.getRedis().getRedlock().getNodeTimeout());
		int connections = this.properties.getJdbc().getConnections();
		require(connections >= 0, "lock.jdbc.connections", connections,
				"It must be zero (use the pool of the application) or more.");
		int maxKeys = this.properties.getMaxKeys();
		require(maxKeys > 0, "lock.max-keys", maxKeys, "It must be at least 1.");
		int retained = this.properties.getRetain().getMaxKeys();
		require(retained >= 0, "lock.retain.max-keys", retained, "It must be zero (none) or more.");
	}

	private void checkZooKeeper() {
		ZooKeeperLockProperties zookeeper = this.properties.getZookeeper();
		String servers = zookeeper.getConnectString();
		require(servers == null || StringUtils.hasText(servers), "lock.zookeeper.connect-string", "",
				"It must not be blank.");
		String namespace = zookeeper.getNamespace();
		require(NODE_NAME.matcher(namespace).matches() && !namespace.equals("zookeeper"), "lock.zookeeper.namespace",
				namespace, "It must be the name of a node: letters, digits, dots, hyphens and underscores, not "
						+ "beginning with a dot, and not zookeeper.");
		requireMillis("lock.zookeeper.session-timeout", zookeeper.getSessionTimeout());
		Duration connection = zookeeper.getConnectionTimeout();
		if (connection != null) {
			requireMillis("lock.zookeeper.connection-timeout", connection);
			require(connection.compareTo(zookeeper.getSessionTimeout()) <= 0, "lock.zookeeper.connection-timeout",
					connection, "It must not be longer than lock.zookeeper.session-timeout, which is %s.",
					zookeeper.getSessionTimeout());
		}
		checkZooKeeperRetry(zookeeper.getRetry());
	}

	private static void checkZooKeeperRetry(ZooKeeperLockProperties.Retry retry) {
		requireMillis("lock.zookeeper.retry.base-sleep", retry.getBaseSleep());
		requireMillis("lock.zookeeper.retry.max-sleep", retry.getMaxSleep());
		require(retry.getMaxSleep().compareTo(retry.getBaseSleep()) >= 0, "lock.zookeeper.retry.max-sleep",
				retry.getMaxSleep(), "It must not be shorter than lock.zookeeper.retry.base-sleep, which is %s.",
				retry.getBaseSleep());
		int retries = retry.getMaxRetries();
		require(retries >= 0 && retries <= MAX_RETRIES, "lock.zookeeper.retry.max-retries", retries,
				"It must be between 0 and " + MAX_RETRIES + '.');
	}

	private void checkNames() {
		this.properties.getNames().forEach((name, named) -> {
			String property = propertyOf(name);
			require(StringUtils.hasText(name), property, name, "The name of a lock must not be blank.");
			require(name.indexOf(':') < 0, property, name, "The name of a lock must not contain a colon.");
			Duration wait = named.getWaitTime();
			if (wait != null) {
				requireWaitTime(property + ".wait-time", wait);
			}
			Duration lease = named.getLeaseTime();
			if (lease != null) {
				requireLeaseTime(property + ".lease-time", lease);
				requireLongerThanInterval(property + ".lease-time", lease, named.getAutoRenew());
			}
			Duration retain = named.getRetain();
			if (retain != null) {
				require(!retain.isNegative() && retain.compareTo(LockOptions.MAX_LEASE_TIME) <= 0, property + ".retain",
						retain, "It must be between zero (not retained) and %s.", LockOptions.MAX_LEASE_TIME);
			}
			String backend = named.getBackend();
			require(backend == null || StringUtils.hasText(backend), property + ".backend", "",
					"It must not be blank.");
		});
	}

	/**
	 * Return the prefix of the properties of a lock name.
	 */
	static String propertyOf(String name) {
		return "lock.names" + (PLAIN_NAME.matcher(name).matches() ? '.' + name : '[' + name + ']');
	}

	private void requireLongerThanInterval(String property, Duration lease, @Nullable Boolean autoRenew) {
		Duration interval = this.properties.getRenewInterval();
		boolean renewed = autoRenew == null || autoRenew;
		if (interval != null && renewed) {
			require(lease.compareTo(interval) > 0, property, lease,
					"It must be longer than lock.renew-interval, which is %s.", interval);
		}
	}

	private static void requireWaitTime(String name, Duration value) {
		require(!value.isNegative(), name, value, "It must be zero (try once) or longer.");
	}

	private static void requireLeaseTime(String name, Duration value) {
		require(value.compareTo(LockOptions.MIN_LEASE_TIME) >= 0 && value.compareTo(LockOptions.MAX_LEASE_TIME) <= 0,
				name, value, "It must be between %s and %s.", LockOptions.MIN_LEASE_TIME, LockOptions.MAX_LEASE_TIME);
	}

	private static void requireMillis(String name, Duration value) {
		require(value.compareTo(MILLISECOND) >= 0 && value.compareTo(DAY) <= 0, name, value,
				"It must be between a millisecond and a day.");
	}

	/**
	 * Reject the value of a property unless a condition is met.
	 * @param reason the reason, with {@code %s} for each limit
	 */
	static void require(boolean condition, String name, Object value, String reason, Duration... limits) {
		if (!condition) {
			throw new InvalidConfigurationPropertyValueException(name, value,
					reason.formatted(Arrays.stream(limits).map(LockUtils::text).toArray()));
		}
	}

	/**
	 * Return the validated properties.
	 */
	LockProperties properties() {
		return this.properties;
	}

	KeyPrefix keyPrefix() {
		return this.keyPrefix;
	}

	LockOptions options() {
		return LockOptions.defaults()
			.withWaitTime(this.properties.getWaitTime())
			.withLeaseTime(this.properties.getLeaseTime())
			.withAutoRenew(this.properties.isAutoRenew());
	}

	LockDefaults annotationDefaults() {
		JpaMode jpa = this.properties.getJpa();
		return new LockDefaults(options(), this.properties.getRenewInterval(),
				this.properties.getInsideTransaction() == InsideTransaction.REFUSE,
				this.properties.getChecks() == LockChecks.FAIL, overrides(),
				new LockDefaults.Jpa(jpa != JpaMode.IGNORE, jpa == JpaMode.CLEAR));
	}

	private Map<String, LockDefaults.Overrides> overrides() {
		Map<String, LockDefaults.Overrides> overrides = new LinkedHashMap<>();
		this.properties.getNames()
			.forEach((name, named) -> overrides.put(name, new LockDefaults.Overrides(named.getWaitTime(),
					named.getLeaseTime(), named.getAutoRenew(), named.getRetain(), canonical(named.getBackend()))));
		return overrides;
	}

	private static @Nullable String canonical(@Nullable String backend) {
		LockBackendType type = (backend != null) ? LockBackendType.of(backend) : null;
		return (type != null) ? type.toString() : backend;
	}

	RedisLockSettings redisSettings() {
		RedisLockProperties redis = this.properties.getRedis();
		return RedisLockSettings.defaults()
			.withOperationTimeout(this.properties.getOperationTimeout())
			.withReplicas(redis.getWaitReplicas(), redis.getWaitTimeout())
			.withMarkKey(this.keyPrefix.text() + ':');
	}

	ZooKeeperLockSettings zooKeeperSettings() {
		ZooKeeperLockProperties zookeeper = this.properties.getZookeeper();
		boolean ownClient = zookeeper.getConnectString() != null;
		return new ZooKeeperLockSettings(zookeeper.getNamespace(), this.properties.getOperationTimeout(),
				ownClient ? zookeeper.getSessionTimeout() : null, zookeeper.getAuth() != null, false);
	}

	EngineSettings engineSettings() {
		LockProperties.HandOff handOff = this.properties.getHandOff();
		return EngineSettings.defaults()
			.withOperationTimeout(this.properties.getOperationTimeout())
			.withHandOff(handOff.getLimit(), handOff.getSpan())
			.withRenewInterval(this.properties.getRenewInterval())
			.withMaxHoldTime(this.properties.getMaxHoldTime().toDuration())
			.withMaxKeys(this.properties.getMaxKeys())
			.withMaxRetainedKeys(this.properties.getRetain().getMaxKeys())
			.withProbeKey(this.keyPrefix.text() + ": ")
			.withApplication(this.application);
	}

	/**
	 * Return the template of annotations and of the client: that of the application, if
	 * it defines one, or else one with the keys of the auto-configured bean. That bean
	 * itself may have been replaced by a mock, and there may be others derived from it.
	 */
	LockTemplate templateIn(ConfigurableListableBeanFactory beanFactory) {
		boolean autoConfigured = beanFactory.containsBean(TEMPLATE);
		if (autoConfigured && !beanFactory.containsLocalBean(TEMPLATE)) {
			return beanFactory.getBean(TEMPLATE, LockTemplate.class);
		}
		LockTemplate own = autoConfigured ? null : beanFactory.getBeanProvider(LockTemplate.class).getIfAvailable();
		return (own != null) ? own : createTemplate(beanFactory.getBean(LockEngines.class));
	}

	LockTemplate createTemplate(LockEngines engines) {
		return LockUtils.template(engines, this.keyPrefix.text() + ':', options());
	}

}
