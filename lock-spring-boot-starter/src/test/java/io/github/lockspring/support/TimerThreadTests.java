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

package io.github.lockspring.support;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link TimerThread}.
 */
@Timeout(300)
class TimerThreadTests {

	private static final String NAME = "timer-of-a-test";

	private final TimerThread timer = new TimerThread(NAME, System::nanoTime, LockSupport::parkNanos);

	@AfterEach
	void noThreadIsLeft() {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> threads() == 0);
	}

	@Test
	void tasksShareOneThreadThatEndsWithTheLast() throws Exception {
		Set<Thread> threads = ConcurrentHashMap.newKeySet();
		CountDownLatch runs = new CountDownLatch(2);
		TimerThread.Task first = task(threads, runs);
		TimerThread.Task second = task(threads, runs);
		first.wakeUpAt(System.nanoTime());
		second.wakeUpAt(System.nanoTime());
		assertThat(runs.await(1, TimeUnit.MINUTES)).isTrue();
		assertThat(threads).hasSize(1).allMatch((thread) -> thread.getName().equals(NAME) && thread.isDaemon());
		first.stop();
		assertThat(threads).allMatch(Thread::isAlive);
		second.stop();
	}

	private TimerThread.Task task(Set<Thread> threads, CountDownLatch runs) {
		TimerThread.Task task = this.timer.task(() -> {
			threads.add(Thread.currentThread());
			runs.countDown();
		});
		task.start();
		return task;
	}

	@Test
	void thereIsNoThreadWithoutAStartedTask() {
		TimerThread.Task task = this.timer.task(() -> {
		});
		task.wakeUpAt(System.nanoTime());
		assertThat(threads()).isZero();
		task.start();
		assertThat(threads()).isEqualTo(1);
		task.stop();
	}

	@Test
	void whatWasAskedForBeforeTheStartIsRunAfterIt() throws Exception {
		CountDownLatch ran = new CountDownLatch(1);
		TimerThread.Task task = this.timer.task(ran::countDown);
		task.wakeUpAt(System.nanoTime());
		task.start();
		assertThat(ran.await(1, TimeUnit.MINUTES)).isTrue();
		task.stop();
	}

	@Test
	void anEarlierTimeReplacesALaterOne() throws Exception {
		CountDownLatch ran = new CountDownLatch(1);
		TimerThread.Task task = this.timer.task(ran::countDown);
		task.start();
		task.wakeUpAt(System.nanoTime() + TimeUnit.DAYS.toNanos(1));
		task.wakeUpAt(System.nanoTime());
		assertThat(ran.await(1, TimeUnit.MINUTES)).isTrue();
		task.stop();
	}

	@Test
	void aRunThatIsAskedForByTheTaskItselfIsNotForgotten() throws Exception {
		CountDownLatch runs = new CountDownLatch(3);
		TimerThread.Task[] task = new TimerThread.Task[1];
		task[0] = this.timer.task(() -> {
			runs.countDown();
			task[0].wakeUpAt(System.nanoTime());
		});
		task[0].start();
		task[0].wakeUpAt(System.nanoTime());
		assertThat(runs.await(1, TimeUnit.MINUTES)).isTrue();
		task[0].stop();
	}

	@Test
	void aTaskThatFailsIsRepeatedAndLeavesOthersAlone() throws Exception {
		CountDownLatch failures = new CountDownLatch(2);
		CountDownLatch others = new CountDownLatch(1);
		TimerThread.Task failing = this.timer.task(() -> {
			failures.countDown();
			throw new StackOverflowError("thrown by a test");
		});
		TimerThread.Task other = this.timer.task(others::countDown);
		failing.start();
		other.start();
		failing.wakeUpAt(System.nanoTime());
		assertThat(failures.await(1, TimeUnit.MINUTES)).isTrue();
		other.wakeUpAt(System.nanoTime());
		assertThat(others.await(1, TimeUnit.MINUTES)).isTrue();
		failing.stop();
		other.stop();
	}

	@Test
	void aTimerWhoseFailureCannotBeLoggedContinues() throws Exception {
		AtomicInteger failures = new AtomicInteger(2);
		TimerThread failing = new TimerThread(NAME, System::nanoTime, (blocker, nanos) -> {
			if (failures.getAndDecrement() > 0) {
				throw new FailureThatCannotBeLogged();
			}
			LockSupport.parkNanos(blocker, nanos);
		});
		CountDownLatch ran = new CountDownLatch(1);
		TimerThread.Task task = failing.task(ran::countDown);
		task.start();
		Awaitility.await().until(() -> failures.get() < 2);
		task.wakeUpAt(System.nanoTime());
		assertThat(ran.await(10, TimeUnit.SECONDS)).isTrue();
		task.stop();
	}

	@Test
	void aTaskWhoseFailureCannotBeLoggedIsRepeatedAndLeavesOthersAlone() throws Exception {
		CountDownLatch failures = new CountDownLatch(2);
		TimerThread.Task failing = this.timer.task(() -> {
			failures.countDown();
			throw new FailureThatCannotBeLogged();
		});
		AtomicInteger others = new AtomicInteger();
		TimerThread.Task other = this.timer.task(others::incrementAndGet);
		failing.start();
		other.start();
		failing.wakeUpAt(System.nanoTime());
		assertThat(failures.await(1, TimeUnit.MINUTES)).isTrue();
		failing.stop();
		other.stop();
		assertThat(others).hasValue(0);
	}

	@Test
	void aStoppedTaskRunsAgainAfterItsNextStart() throws Exception {
		AtomicInteger runs = new AtomicInteger();
		TimerThread.Task task = this.timer.task(runs::incrementAndGet);
		for (int i = 1; i <= 100; i++) {
			task.start();
			task.wakeUpAt(System.nanoTime());
			int wanted = i;
			Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> runs.get() >= wanted);
			task.stop();
			assertThat(task.isStopped()).isTrue();
		}
	}

	private static long threads() {
		return Thread.getAllStackTraces().keySet().stream().filter((each) -> each.getName().equals(NAME)).count();
	}

	/**
	 * Fails again as soon as it is to be logged.
	 */
	private static final class FailureThatCannotBeLogged extends Error {

		@Override
		public String getMessage() {
			throw this;
		}

	}

}
