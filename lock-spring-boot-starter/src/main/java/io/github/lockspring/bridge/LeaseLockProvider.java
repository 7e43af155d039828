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

package io.github.lockspring.bridge;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.support.Durations;

/**
 * {@link net.javacrumbs.shedlock.core.LockProvider LockProvider} of ShedLock over the
 * locks of this library, on any of its backends.
 *
 * <pre class="code">{@code
 * &#64;Bean
 * LockProvider lockProvider(LockTemplate locks) {
 * 	return new LeaseLockProvider(locks.named("shedlock"));
 * }
 * }</pre>
 * <p>
 * A lock is a lease of {@code lockAtMostFor}, at least 50 milliseconds, that is not
 * renewed, so that the lock is kept for that time if the process crashes. A backend whose
 * leases are bound to a session, such as ZooKeeper, renews it until then, and ends it
 * sooner if the process crashes. A lock that is unlocked before {@code lockAtLeastFor} is
 * kept for the rest of that time, measured by the clock of the store. Locks are not
 * reentrant.
 * <p>
 * {@code lock} tries once, and throws
 * {@link io.github.lockspring.LockUnavailableException} if the store failed. Unlocking a
 * lock that has expired has no effect; if the store is unavailable, the release is
 * retried in the background. A lock can be extended until it has expired; that throws the
 * same exception if the store failed.
 * <p>
 * Thread-safe.
 */
public final class LeaseLockProvider implements ExtensibleLockProvider {

	private static final Log logger = LogFactory.getLog(LeaseLockProvider.class);

	/**
	 * Shorter leases would be over before their grants arrive.
	 */
	private static final Duration MIN_LEASE_TIME = Duration.ofMillis(50);

	private final LockTemplate locks;

	private final LockEngine engine;

	/**
	 * Create a provider.
	 * @param locks the template that provides the backend and the key prefix; the key of
	 * a lock is its name
	 */
	public LeaseLockProvider(LockTemplate locks) {
		Assert.notNull(locks, "'locks' must not be null");
		this.locks = locks;
		this.engine = LockUtils.engine(locks);
	}

	@Override
	public Optional<SimpleLock> lock(LockConfiguration lockConfiguration) {
		String name = lockConfiguration.getName();
		String storeKey = this.locks.storeKey(name);
		try {
			Hold hold = this.engine.acquireUninterruptibly(storeKey, options(lockConfiguration), new Owner(name), 0);
			return Optional.ofNullable((hold != null) ? new Lock(lockConfiguration, hold) : null);
		}
		catch (EngineException ex) {
			throw LockUtils.translate(ex, storeKey);
		}
	}

	private static AcquireOptions options(LockConfiguration configuration) {
		Instant now = ClockProvider.now();
		Duration leaseTime = Durations.max(Duration.between(now, configuration.getLockAtMostUntil()), MIN_LEASE_TIME);
		AcquireOptions options = AcquireOptions.exclusive(Durations.cap(leaseTime), false);
		Duration minimum = Duration.between(now, configuration.getLockAtLeastUntil());
		// the present is rounded
		boolean without = configuration.getLockAtLeastFor().isZero();
		return (without || minimum.isNegative()) ? options : options.withMinimumHold(Durations.cap(minimum));
	}

	/**
	 * Lock that is held until it is unlocked or extended.
	 */
	private static final class Lock extends AbstractSimpleLock {

		private final Hold hold;

		Lock(LockConfiguration configuration, Hold hold) {
			super(configuration);
			this.hold = hold;
		}

		@Override
		protected void doUnlock() {
			if (!this.hold.release() && logger.isDebugEnabled()) {
				logger.debug("The lock '" + this.lockConfiguration.getName() + "' had expired before it was unlocked");
			}
		}

		@Override
		protected Optional<SimpleLock> doExtend(LockConfiguration newConfiguration) {
			SimpleLock extended = extended(newConfiguration);
			if (extended == null) {
				doUnlock(); // nothing can be done with this lock from now on
			}
			return Optional.ofNullable(extended);
		}

		private @Nullable SimpleLock extended(LockConfiguration newConfiguration) {
			boolean expired = !ClockProvider.now().isBefore(this.lockConfiguration.getLockAtMostUntil());
			try {
				return (!expired && this.hold.extend(options(newConfiguration))) ? new Lock(newConfiguration, this.hold)
						: null;
			}
			catch (EngineException ex) {
				throw LockUtils.translateRenewalFailure(ex, this.hold.key());
			}
		}

	}

	/**
	 * Owner of one lock.
	 *
	 * @param name the name of the lock
	 */
	private record Owner(String name) {

		@Override
		public String toString() {
			return "the scheduled task '" + this.name + "'";
		}

	}

}
