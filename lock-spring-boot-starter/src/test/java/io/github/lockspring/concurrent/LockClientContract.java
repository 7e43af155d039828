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
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What the suites for the objects made by {@link LockClient} have in common: two
 * processes on one store, and a key of the test's own.
 */
abstract class LockClientContract {

	/**
	 * As {@code LockBackendContractTests.EVERYWHERE}.
	 */
	static final String EVERYWHERE = "everywhere";

	static final Duration SHORT = Duration.ofMillis(30);

	static final Duration LONG = Duration.ofMinutes(1);

	final String key = "orders:" + UUID.randomUUID();

	final LockProcesses processes;

	private final List<LockProcess> others = new ArrayList<>();

	private final List<TestThread<?>> threads = new ArrayList<>();

	LockProcess one;

	LockProcess two;

	/**
	 * Creates a suite.
	 * @param processes the two processes
	 */
	LockClientContract(LockProcesses processes) {
		this.processes = processes;
	}

	@BeforeEach
	void startProcesses() {
		this.one = this.processes.one();
		this.two = this.processes.two();
	}

	LockProcess startProcess() {
		return startProcess(this.processes.backend());
	}

	LockProcess startProcess(LockBackend backend) {
		return add(new LockProcess(backend));
	}

	/**
	 * Starts a process that renews leases so often that a test can wait for it.
	 */
	LockProcess startRenewingProcess() {
		return add(new LockProcess(this.processes.backend(), Duration.ofMillis(300)));
	}

	private LockProcess add(LockProcess process) {
		this.others.add(process);
		return process;
	}

	@AfterEach
	void stopProcesses() {
		Thread.interrupted();
		this.others.forEach(LockProcess::close);
		this.threads.forEach((thread) -> thread.thread.interrupt());
	}

	void requires(Capability capability) {
		assumeTrue(this.one.has(capability),
				() -> "Backend " + this.one.backendName() + " has no capability " + capability);
	}

	void requiresValues() {
		assumeTrue(this.one.hasValues(), () -> "Backend " + this.one.backendName() + " has no values");
	}

	void requireExpiry() {
		assumeTrue(expiresValues(), () -> "Backend " + this.one.backendName() + " has no time to live of values");
	}

	boolean expiresValues() {
		return this.one.expiresValues();
	}

	<T> TestThread<T> start(Callable<T> action) {
		TestThread<T> thread = TestThread.start(action);
		this.threads.add(thread);
		return thread;
	}

	/**
	 * Starts an action that acquires a lock, and returns when it waits for that.
	 */
	<T> TestThread<T> startWaiting(LeaseLock lock, Callable<T> action) {
		int before = lock.getQueueLength();
		TestThread<T> thread = start(action);
		await().until(() -> thread.result.isDone() || lock.getQueueLength() > before);
		assertThat(thread.result).as("waits").isNotDone();
		return thread;
	}

	/**
	 * Acquires and releases a lock.
	 */
	static Callable<Boolean> cycle(Lock lock) {
		return () -> {
			lock.lock();
			lock.unlock();
			return true;
		};
	}

	/**
	 * Returns whether a lock is free for another thread.
	 */
	static boolean isFree(Lock lock) {
		return TestThread.call(() -> {
			boolean locked = tryLock(lock);
			if (locked) {
				lock.unlock();
			}
			return locked;
		});
	}

	/**
	 * Tries once, with time to open a connection if that takes longer than the engine
	 * allows an attempt without a wait.
	 */
	private static boolean tryLock(Lock lock) throws InterruptedException {
		try {
			return lock.tryLock();
		}
		catch (LockUnavailableException ex) {
			return lock.tryLock(30, TimeUnit.SECONDS);
		}
	}

	/**
	 * Asserts that a lock becomes free for other threads: what an acquisition that ended
	 * has left in a queue of the store is removed in the background.
	 */
	static void assertBecomesFree(LeaseLock... locks) {
		for (LeaseLock lock : locks) {
			assertThat(TestThread.call(() -> {
				boolean locked = lock.tryLock(LONG);
				lock.unlock();
				return locked;
			})).isTrue();
		}
	}

	/**
	 * Waits until a thread has seen a value and watches it, which no other does.
	 */
	static void awaitWatch(LockProcess process, TestThread<?> waiting) {
		await().until(() -> process.awaitedValues() == 1);
		assertThat(waiting.result).isNotDone();
	}

	static void assertNotHeldByCurrentThread(Lock lock) {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
	}

	/**
	 * Asserts that a call of an interrupted thread throws, and clears the status.
	 */
	static void assertInterruptedOnEntry(ThrowingCallable call) {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(call);
		assertThat(Thread.interrupted()).as("status").isFalse();
	}

	/**
	 * Interrupts a thread that waits, and asserts that it ends with the exception.
	 */
	static void assertInterrupted(TestThread<?> waiting) {
		waiting.thread.interrupt();
		assertThat(waiting.failure()).isExactlyInstanceOf(InterruptedException.class);
		assertThat(waiting.interruptedAtEnd).as("status").isFalse();
	}

	/**
	 * Ends the leases of a lock in the store.
	 */
	void expire(LeaseLock lock, String key) {
		lock.holders().forEach((holder) -> expire(holder, key));
	}

	void expire(LeaseHolder holder, String key) {
		int dash = holder.owner().lastIndexOf('-');
		OwnerId owner = new OwnerId(holder.owner().substring(0, dash),
				Long.parseLong(holder.owner().substring(dash + 1), 16));
		LeaseTerms terms = new LeaseTerms(holder.mode(), false, Duration.ofSeconds(30), 1);
		this.processes.expire(new LeaseRequest(List.of("lock:" + key), terms, owner));
	}

	static <T> T result(CompletableFuture<T> future) {
		try {
			return future.get(2, TimeUnit.MINUTES);
		}
		catch (Exception ex) {
			throw new AssertionError("Not completed", ex);
		}
	}

	static ConditionFactory await() {
		return Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.atMost(Duration.ofMinutes(1));
	}

}
