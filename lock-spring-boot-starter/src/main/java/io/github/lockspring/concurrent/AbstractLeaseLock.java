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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.springframework.util.Assert;

import io.github.lockspring.LockUtils.Step;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.support.Durations;

/**
 * Base class of locks, whose keys are acquired with or without regard to interrupts.
 */
abstract class AbstractLeaseLock implements LeaseLock {

	@Override
	public final void lock() {
		acquire(Durations.MAX_NANOS, LockEngine::acquireUninterruptibly);
	}

	@Override
	public final void lockInterruptibly() throws InterruptedException {
		acquire(Durations.MAX_NANOS, LockEngine::acquire);
	}

	@Override
	public final boolean tryLock() {
		return acquire(0, LockEngine::acquireUninterruptibly);
	}

	@Override
	public final boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return acquire(Durations.waitNanos(time, unit), LockEngine::acquire);
	}

	@Override
	public final boolean tryLock(Duration waitTime) throws InterruptedException {
		return acquire(waitNanos(waitTime), LockEngine::acquire);
	}

	static long waitNanos(Duration waitTime) {
		Assert.notNull(waitTime, "'waitTime' must not be null");
		return Durations.waitNanos(waitTime);
	}

	/**
	 * Acquire the lock for the current thread.
	 * @param <X> the exception thrown if it is interrupted
	 * @param waitNanos the available time
	 * @param step the acquisition of a single key
	 * @return {@code false} if the wait time is over
	 * @throws X if the thread is interrupted
	 */
	abstract <X extends Exception> boolean acquire(long waitNanos, Step<X> step) throws X;

}
