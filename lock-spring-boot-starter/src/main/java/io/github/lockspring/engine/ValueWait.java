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

package io.github.lockspring.engine;

import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.Value;
import io.github.lockspring.support.Durations;

/**
 * Wait of a thread until a value meets a condition.
 * <ol>
 * <li>The value is read once, and then watched.</li>
 * <li>When the time is over, it is read once more: only an answer to a read that began
 * after the deadline shows that the condition was not met in time.</li>
 * <li>A store that fails, or does not answer, then fails the wait.</li>
 * </ol>
 * Thread-safe.
 */
class ValueWait implements WatchedValues.Observer {

	private final EngineContext context;

	private final WatchedValues watches;

	private final String key;

	private final Predicate<Value> condition;

	private final long deadline;

	private final Thread thread = Thread.currentThread();

	/**
	 * Time until which the last answer is waited for.
	 */
	private volatile long answerDeadline;

	private volatile boolean watching;

	/**
	 * Whether the last read was requested, after the deadline.
	 */
	private volatile boolean last;

	/**
	 * Whether a read that began after the deadline was answered.
	 */
	private volatile boolean answered;

	/**
	 * Version of the last value that was read.
	 */
	private volatile long version;

	private volatile @Nullable Value met;

	private volatile @Nullable RuntimeException failure;

	ValueWait(EngineContext context, WatchedValues watches, String key, Predicate<Value> condition, long waitNanos) {
		this.context = context;
		this.watches = watches;
		this.key = key;
		this.condition = condition;
		this.deadline = context.time().nanoTime() + Math.min(Math.max(waitNanos, 0), Durations.MAX_NANOS);
		this.answerDeadline = this.deadline + context.answerNanos();
	}

	/**
	 * Test the value once, and start to watch it if there is time to wait.
	 */
	void begin() {
		this.context.requireOpen();
		boolean waits = remaining() > 0;
		if (waits) {
			this.context.store().values(); // throws an exception if unsupported
		}
		long sentNanos = this.context.time().nanoTime();
		try {
			onValue(this.context.store().read(this.key, this.context.timeoutUntil(this.answerDeadline)), sentNanos);
		}
		catch (BackendException ex) {
			onFailure(ex, true, sentNanos);
		}
		if (waits && this.met == null) {
			watch();
		}
	}

	void watch() {
		this.watching = true;
		this.watches.add(this.key, this);
	}

	void end() {
		if (this.watching) {
			this.watches.remove(this.key, this);
		}
	}

	@Override
	public void onValue(Value value, long sentNanos) {
		this.version = value.version();
		this.failure = meet(value);
		answered(sentNanos);
	}

	/**
	 * Test a value that the store has sent. One that is older than a value that was read
	 * may be from the time before this wait.
	 */
	@Override
	public boolean onSent(Value value, long version) {
		if (this.version != 0 && version > this.version) {
			RuntimeException failure = meet(value);
			if (failure != null) {
				this.failure = failure;
			}
		}
		return this.met != null;
	}

	/**
	 * Test a value, and keep the first one that meets the condition.
	 * @return the failure of the condition, if it failed
	 */
	private @Nullable RuntimeException meet(Value value) {
		try {
			if (this.met == null && this.condition.test(value)) {
				this.met = value;
				wakeUp();
			}
			return null;
		}
		catch (RuntimeException ex) {
			return ex;
		}
	}

	@Override
	public void onFailure(BackendException failure, boolean alone, long sentNanos) {
		this.failure = this.context.store().unavailable(failure);
		if (alone) {
			answered(sentNanos);
		}
	}

	private void answered(long sentNanos) {
		if (this.watching && sentNanos - this.deadline >= 0) {
			this.answered = true;
			wakeUp();
		}
	}

	@Override
	public void wakeUp() {
		LockSupport.unpark(this.thread);
	}

	/**
	 * Return whether the wait is over. When its time is, requests the last read.
	 */
	boolean isDone() {
		if (this.met != null || this.context.isClosed()) {
			return true;
		}
		if (nanosUntil(this.deadline) > 0) {
			return false;
		}
		if (!this.watching || this.answered || (this.failure != null && nanosUntil(this.answerDeadline) <= 0)) {
			return true;
		}
		requestLast();
		return this.answered || nanosUntil(this.answerDeadline) <= 0;
	}

	private void requestLast() {
		synchronized (this) {
			if (this.last) {
				return;
			}
			long now = this.context.time().nanoTime();
			this.answerDeadline = now + this.context.timeoutAfterDeadline(Math.min(0, this.deadline - now)).toNanos();
			this.last = true;
		}
		this.watches.onChanged(this.key);
	}

	/**
	 * Return the time until the next call of {@link #isDone} at the latest.
	 */
	long remaining() {
		return nanosUntil(this.last ? this.answerDeadline : this.deadline);
	}

	private long nanosUntil(long time) {
		return time - this.context.time().nanoTime();
	}

	/**
	 * Return the value that met the condition, or {@code null} if none did in time.
	 */
	@Nullable Value result() {
		RuntimeException failure = this.failure;
		Value met = this.met;
		if (met == null && this.context.isClosed()) {
			throw EngineContext.closedException();
		}
		if (met == null && failure != null) {
			throw failure;
		}
		if (met == null && this.last && !this.answered) {
			throw this.context.store().notAnswered();
		}
		return met;
	}

}
