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

package io.github.lockspring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.springframework.util.Assert;

import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.event.LockLostEvent;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;

/**
 * Builder for a {@link LockTemplate} without auto-configuration. The defaults are those
 * of the properties of the same names. Acquisitions, releases and denials are not
 * published as events, and {@link #build()} succeeds while a store is unavailable.
 *
 * <pre class="code">{@code
 * try (LockTemplate locks = LockTemplate.builder(new JdbcLockBackend(dataSource))
 * 		.leaseTime(Duration.ofSeconds(10))
 * 		.onLost((event) -> logger.warn("Lost {}", event.storeKey()))
 * 		.build()) {
 * 	locks.executeWithoutResult("order:42", (lock) -> ship(42));
 * }
 * }</pre>
 * <p>
 * Not thread-safe. Used once.
 */
public final class LockTemplateBuilder {

	private static final Duration MIN_RENEW_INTERVAL = Duration.ofMillis(10);

	private final List<LockBackend> backends = new ArrayList<>();

	private String keyPrefix = "lock";

	private LockOptions defaultOptions = LockOptions.defaults();

	private EngineSettings settings = EngineSettings.defaults();

	private Duration shutdownTimeout = Duration.ofSeconds(10);

	private TimeSource timeSource = TimeSource.SYSTEM;

	private Consumer<LockLostEvent> lossListener = (event) -> {
	};

	LockTemplateBuilder(LockBackend backend) {
		additionalBackend(backend);
	}

	/**
	 * Add a backend that is used by {@link LockTemplate#on(String)}.
	 * @param backend the backend; the template opens and closes it
	 * @return this builder
	 */
	public LockTemplateBuilder additionalBackend(LockBackend backend) {
		Assert.notNull(backend, "'backend' must not be null");
		this.backends.add(backend);
		return this;
	}

	/**
	 * Set the first part of all keys in the store, followed by a colon. A key that is
	 * part of the settings of a backend, such as {@code RedisLockSettings.markKey()},
	 * does not have this prefix and must be set there.
	 * @param keyPrefix the prefix; {@code lock} by default
	 * @return this builder
	 */
	public LockTemplateBuilder keyPrefix(String keyPrefix) {
		Assert.hasText(keyPrefix, "'keyPrefix' must not be blank");
		this.keyPrefix = keyPrefix;
		return this;
	}

	/**
	 * Set the name of the application, by which other processes recognize the holders of
	 * this one.
	 * @param applicationName the name, recorded in the store with each lease; empty by
	 * default
	 * @return this builder
	 * @see io.github.lockspring.spi.LeaseHolder#process()
	 */
	public LockTemplateBuilder applicationName(String applicationName) {
		Assert.notNull(applicationName, "'applicationName' must not be null");
		this.settings = this.settings.withApplication(applicationName);
		return this;
	}

	/**
	 * Set the options used where none are specified. Replaces the wait time, the lease
	 * time and the renewal set before.
	 * @param defaultOptions the options; {@link LockOptions#defaults()} by default
	 * @return this builder
	 */
	public LockTemplateBuilder defaultOptions(LockOptions defaultOptions) {
		Assert.notNull(defaultOptions, "'defaultOptions' must not be null");
		this.defaultOptions = defaultOptions;
		return this;
	}

	/**
	 * Set the default wait time.
	 * @param waitTime the maximum time to wait; zero to try once; 5 seconds by default
	 * @return this builder
	 * @throws IllegalArgumentException if the time is negative
	 */
	public LockTemplateBuilder waitTime(Duration waitTime) {
		return defaultOptions(this.defaultOptions.withWaitTime(waitTime));
	}

	/**
	 * Set the default lease time.
	 * @param leaseTime the time at which a lease expires unless it is renewed; 30 seconds
	 * by default
	 * @return this builder
	 * @throws IllegalArgumentException if the time is not between
	 * {@link LockOptions#MIN_LEASE_TIME} and {@link LockOptions#MAX_LEASE_TIME}
	 */
	public LockTemplateBuilder leaseTime(Duration leaseTime) {
		return defaultOptions(this.defaultOptions.withLeaseTime(leaseTime));
	}

	/**
	 * Set whether leases are renewed for as long as a lock is held, by default.
	 * @param autoRenew whether to renew leases; {@code true} by default
	 * @return this builder
	 */
	public LockTemplateBuilder autoRenew(boolean autoRenew) {
		return defaultOptions(this.defaultOptions.withAutoRenew(autoRenew));
	}

	/**
	 * Set the time after which a lease is renewed.
	 * @param renewInterval the time after the last renewal, at least 10 milliseconds and
	 * shorter than the lease time; a third of each lease time by default
	 * @return this builder
	 */
	public LockTemplateBuilder renewInterval(Duration renewInterval) {
		Assert.notNull(renewInterval, "'renewInterval' must not be null");
		Assert.isTrue(renewInterval.compareTo(MIN_RENEW_INTERVAL) >= 0,
				() -> "'renewInterval' must be " + MIN_RENEW_INTERVAL + " or longer, not " + renewInterval);
		this.settings = this.settings.withRenewInterval(renewInterval);
		return this;
	}

	/**
	 * Set the timeout of one call to the store. Backends that have a timeout for calls of
	 * their own, in {@code RedisLockSettings} or {@code ZooKeeperLockSettings}, must be
	 * given the same one there.
	 * @param operationTimeout the timeout, positive; 1 second by default
	 * @return this builder
	 */
	public LockTemplateBuilder operationTimeout(Duration operationTimeout) {
		Assert.notNull(operationTimeout, "'operationTimeout' must not be null");
		this.settings = this.settings.withOperationTimeout(operationTimeout);
		return this;
	}

	/**
	 * Set how often, and for how long, a lease is handed off inside this process before
	 * it is released to the store.
	 * @param limit the maximum number of hand-offs, 0 to 256; 256 by default
	 * @param span the maximum time since the lease was granted; 20 milliseconds by
	 * default
	 * @return this builder
	 */
	public LockTemplateBuilder handOff(int limit, Duration span) {
		Assert.notNull(span, "'span' must not be null");
		Assert.isTrue(!span.isNegative(), () -> "'span' must be zero or longer, not " + span);
		this.settings = this.settings.withHandOff(limit, span);
		return this;
	}

	/**
	 * Set the time after which a lock that is still held is no longer renewed.
	 * @param maxHoldTime the maximum time, positive; a hundred years or longer, such as
	 * {@code ChronoUnit.FOREVER.getDuration()}, for no limit; 1 day by default
	 * @return this builder
	 */
	public LockTemplateBuilder maxHoldTime(Duration maxHoldTime) {
		Assert.notNull(maxHoldTime, "'maxHoldTime' must not be null");
		Assert.isTrue(!maxHoldTime.isNegative() && !maxHoldTime.isZero(),
				() -> "'maxHoldTime' must be longer than zero, not " + maxHoldTime);
		this.settings = this.settings.withMaxHoldTime(maxHoldTime);
		return this;
	}

	/**
	 * Set the maximum number of keys held or waited for at once in this process.
	 * @param maxKeys the maximum number, positive; 1,000,000 by default
	 * @return this builder
	 */
	public LockTemplateBuilder maxKeys(int maxKeys) {
		this.settings = this.settings.withMaxKeys(maxKeys);
		return this;
	}

	/**
	 * Set the maximum number of keys whose leases are retained at once in this process.
	 * @param maxRetainedKeys the maximum number, zero for none; 10,000 by default
	 * @return this builder
	 * @see LockOptions#withRetain(Duration)
	 */
	public LockTemplateBuilder maxRetainedKeys(int maxRetainedKeys) {
		this.settings = this.settings.withMaxRetainedKeys(maxRetainedKeys);
		return this;
	}

	/**
	 * Set the time for which {@link LockTemplate#close()} waits for holders.
	 * @param shutdownTimeout the maximum time, zero for none; 10 seconds by default
	 * @return this builder
	 */
	public LockTemplateBuilder shutdownTimeout(Duration shutdownTimeout) {
		Assert.notNull(shutdownTimeout, "'shutdownTimeout' must not be null");
		Assert.isTrue(!shutdownTimeout.isNegative(),
				() -> "'shutdownTimeout' must be zero or longer, not " + shutdownTimeout);
		this.shutdownTimeout = shutdownTimeout;
		return this;
	}

	/**
	 * Set the clocks, for tests.
	 * @param timeSource the clocks by which the validity of leases is measured; those of
	 * the machine by default
	 * @return this builder
	 */
	public LockTemplateBuilder timeSource(TimeSource timeSource) {
		Assert.notNull(timeSource, "'timeSource' must not be null");
		this.timeSource = timeSource;
		return this;
	}

	/**
	 * Add a listener that is called once for each lock that is lost while it is held, in
	 * a separate thread. If it throws an exception, listeners added after it are not
	 * called for that loss.
	 * @param listener the listener
	 * @return this builder
	 */
	public LockTemplateBuilder onLost(Consumer<LockLostEvent> listener) {
		Assert.notNull(listener, "'listener' must not be null");
		this.lossListener = this.lossListener.andThen(listener);
		return this;
	}

	/**
	 * Open the backends and build the template, which closes them when it is closed. If
	 * one of them cannot be opened, or the settings are rejected, all are closed.
	 * @return the template
	 * @throws IllegalArgumentException if the renewal interval is not shorter than the
	 * lease time, or two backends have the same name
	 */
	public LockTemplate build() {
		List<LockEngine> opened = new ArrayList<>();
		try {
			Duration interval = this.settings.renewInterval();
			Duration lease = this.defaultOptions.leaseTime();
			Assert.isTrue(interval == null || interval.compareTo(lease) < 0,
					() -> "'renewInterval' must be shorter than the lease time, which is " + lease + ", not "
							+ interval);
			for (LockBackend backend : this.backends) {
				opened.add(new LockEngine(backend, this.settings.withProbeKey(this.keyPrefix + ": "),
						new LossPublisher(this.lossListener, backend.name()), this.timeSource));
			}
			LockEngines engines = new LockEngines(opened.get(0), opened.subList(1, opened.size()));
			Duration grace = this.shutdownTimeout;
			return new LockTemplate(engines, this.keyPrefix + ':', this.defaultOptions)
				.withShutdown(() -> engines.shutdown(grace));
		}
		catch (Throwable ex) {
			opened.forEach(LockEngine::close);
			this.backends.subList(opened.size(), this.backends.size()).forEach((backend) -> close(backend, ex));
			throw ex;
		}
	}

	private static void close(LockBackend backend, Throwable failure) {
		try {
			backend.close();
		}
		catch (RuntimeException ex) {
			failure.addSuppressed(ex);
		}
	}

	/**
	 * Passes losses to the listener of the application.
	 *
	 * @param listener the listener
	 * @param backend the name of the backend
	 */
	private record LossPublisher(Consumer<LockLostEvent> listener, String backend) implements EngineListener {

		@Override
		public void lost(String key, long token) {
			this.listener.accept(new LockLostEvent(key, token, this.backend));
		}

	}

}
