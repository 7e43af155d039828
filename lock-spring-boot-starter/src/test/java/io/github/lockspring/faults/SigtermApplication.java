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

package io.github.lockspring.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryOneTime;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockShutdownException;
import io.github.lockspring.LockType;
import io.github.lockspring.autoconfigure.LockAutoConfiguration;
import io.github.lockspring.concurrent.LockClient;

/**
 * An application that {@link SigtermTests} terminates while its threads hold locks or
 * wait for them. It prints what became of them before its connections are closed, and
 * continues when the test has looked at the store.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
		TaskExecutionAutoConfiguration.class, LockAutoConfiguration.class })
@Import({ SigtermApplication.Service.class, SigtermApplication.Callers.class, SigtermApplication.Connections.class })
public class SigtermApplication {

	static final String READY = "SIGTERM ready";

	static final String RELEASED = "SIGTERM released ";

	/**
	 * Ten of each kind of lock, of which five are released by their holders and five are
	 * not.
	 */
	static final int HOLDERS = 60;

	static final int WAITERS = 20;

	static final int TASKS = 5;

	public static void main(String... arguments) {
		SpringApplication.run(SigtermApplication.class, arguments).getBean(Callers.class).start();
	}

	@Bean(initMethod = "start")
	@ConditionalOnProperty("sigterm.zookeeper")
	CuratorFramework curator(@Value("${sigterm.zookeeper}") String servers) {
		return CuratorFrameworkFactory.newClient(servers, new RetryOneTime(100));
	}

	/**
	 * Methods with locks.
	 */
	static class Service {

		@DistributedLock(name = "order", key = "#id", waitTime = "5m")
		public void exclusive(int id, Callable<?> body) throws Exception {
			body.call();
		}

		@DistributedLock(name = "order", key = "#id", type = LockType.FAIR, waitTime = "5m")
		public void fair(int id, Callable<?> body) throws Exception {
			body.call();
		}

		@DistributedLock(name = "order", key = "#id", type = LockType.READ, waitTime = "5m")
		public void read(int id, Callable<?> body) throws Exception {
			body.call();
		}

		@DistributedSemaphore(name = "permits", key = "#id", permits = "2", waitTime = "5m")
		public void permit(int id, Callable<?> body) throws Exception {
			body.call();
		}

	}

	/**
	 * Threads that call them, and that use locks in code.
	 */
	static class Callers {

		private static final Duration LONG = Duration.ofMinutes(5);

		private final Service service;

		private final LockOperations locks;

		private final LockClient client;

		private final Executor executor;

		private final CountDownLatch holding = new CountDownLatch(HOLDERS + TASKS);

		private final CountDownLatch closing = new CountDownLatch(1);

		private final CountDownLatch rejected = new CountDownLatch(1);

		private final CountDownLatch ended = new CountDownLatch(HOLDERS + WAITERS + TASKS + 1);

		private final Map<String, AtomicInteger> outcomes = new ConcurrentHashMap<>();

		Callers(Service service, LockOperations locks, LockClient client, Executor applicationTaskExecutor) {
			this.service = service;
			this.locks = locks;
			this.client = client;
			this.executor = applicationTaskExecutor;
		}

		void start() {
			IntStream.range(0, HOLDERS).forEach((id) -> startThread(() -> hold(id)));
			IntStream.range(0, TASKS).forEach((id) -> this.executor.execute(() -> call(() -> workInExecutor(id))));
			await(this.holding);
			IntStream.range(0, WAITERS).forEach((id) -> startThread(() -> waitFor(id)));
			startThread(this::acquireUntilRejected);
			while (IntStream.range(0, WAITERS).map((id) -> this.client.lock(awaited(id)).getQueueLength()).sum() != 2
					* WAITERS) {
				pause();
			}
			System.out.println(READY);
		}

		private void startThread(ThrowingRunnable call) {
			new Thread(() -> call(call)).start();
		}

		private void call(ThrowingRunnable call) {
			String outcome = "finished";
			try {
				call.run();
			}
			catch (LockShutdownException ex) {
				outcome = "rejected";
			}
			catch (LockLostException ex) {
				outcome = "lost";
			}
			catch (Throwable ex) {
				outcome = ex.toString();
			}
			this.outcomes.computeIfAbsent(outcome, (key) -> new AtomicInteger()).incrementAndGet();
			this.ended.countDown();
		}

		private void hold(int id) throws Exception {
			boolean finishes = id / 6 % 2 == 0;
			Callable<?> body = () -> work(LockContext.current(), finishes);
			LockOptions options = this.locks.defaultOptions().withWaitTime(LONG);
			switch (id % 6) {
				case 0 -> this.service.exclusive(id, body);
				case 1 -> this.service.fair(id, body);
				case 2 -> this.service.read(id, body);
				case 3 -> this.service.permit(id, body);
				case 4 -> this.locks.execute("task:" + id, options, (lock) -> work(lock, finishes));
				default -> {
					try (LockHandle lock = this.locks.acquireAsync("task:" + id, options).get()) {
						work(lock, finishes);
						lock.checkpoint();
					}
				}
			}
		}

		/**
		 * Works until new locks are rejected, or until the lock is lost.
		 */
		private boolean work(LockHandle lock, boolean finishes) {
			this.holding.countDown();
			if (finishes) {
				await(this.rejected);
				require(lock.isHeld(), "a lock is held until its holder has finished");
			}
			while (!finishes && lock.isHeld()) {
				pause();
			}
			return true;
		}

		/**
		 * Work for which an executor waits needs locks until it has ended.
		 */
		private void workInExecutor(int id) throws Exception {
			this.service.exclusive(1000 + id, () -> {
				this.holding.countDown();
				await(this.closing);
				require(this.rejected.getCount() == 1, "executors end first");
				this.locks.executeWithoutResult("task:" + (1000 + id), LockHandle::checkpoint);
				return null;
			});
		}

		private void waitFor(int id) throws Exception {
			if (id % 2 == 0) {
				this.service.exclusive(holderOf(id), () -> null);
			}
			else {
				this.locks.executeWithoutResult(awaited(id), this.locks.defaultOptions().withWaitTime(LONG), (lock) -> {
				});
			}
		}

		/**
		 * Two wait for each of ten locks.
		 */
		private static String awaited(int id) {
			return ((id % 2 == 0) ? "order:" : "task:") + holderOf(id);
		}

		private static int holderOf(int id) {
			return 6 * (id / 4) + ((id % 2 == 0) ? 0 : 4);
		}

		private void acquireUntilRejected() {
			for (int id = 0; !isRejected(10_000 + id); id++) {
				pause();
			}
			this.rejected.countDown();
			require(IntStream.range(0, 100).allMatch((id) -> isRejected(20_000 + id)), "all that follow are rejected");
		}

		private boolean isRejected(int id) {
			try {
				this.service.exclusive(id, () -> null);
				return false;
			}
			catch (LockShutdownException ex) {
				return true;
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

		@EventListener
		void onClose(ContextClosedEvent event) {
			this.closing.countDown();
		}

		String outcomes() {
			await(this.ended);
			return this.outcomes.toString();
		}

		private static void require(boolean condition, String rule) {
			if (!condition) {
				throw new IllegalStateException("Not true: " + rule);
			}
		}

		private static void await(CountDownLatch latch) {
			try {
				if (!latch.await(1, TimeUnit.MINUTES)) {
					throw new IllegalStateException("Waited in vain, for " + latch);
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		private static void pause() {
			try {
				Thread.sleep(5);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	interface ThrowingRunnable {

		void run() throws Exception;

	}

	/**
	 * Stops just before the connection factories do, which have the phase 0 or are closed
	 * later.
	 */
	static class Connections implements SmartLifecycle {

		private final Callers callers;

		private final ObjectProvider<RedisConnectionFactory> redis;

		private final ObjectProvider<CuratorFramework> zooKeeper;

		private final ObjectProvider<HikariDataSource> pools;

		private volatile boolean running;

		Connections(Callers callers, ObjectProvider<RedisConnectionFactory> redis,
				ObjectProvider<CuratorFramework> zooKeeper, ObjectProvider<HikariDataSource> pools) {
			this.callers = callers;
			this.redis = redis;
			this.zooKeeper = zooKeeper;
			this.pools = pools;
		}

		@Override
		public void start() {
			this.running = true;
		}

		/**
		 * Leaves the locks to the test for as long as that wants to look at them.
		 */
		@Override
		public void stop() {
			System.out
				.println(RELEASED + this.callers.outcomes() + (areOpen() ? " before" : " after") + " connections");
			try {
				System.in.read();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			this.running = false;
		}

		private boolean areOpen() {
			return this.redis.stream().allMatch((factory) -> ((Lifecycle) factory).isRunning())
					&& this.zooKeeper.stream().allMatch((each) -> each.getState() == CuratorFrameworkState.STARTED)
					&& this.pools.stream().noneMatch(HikariDataSource::isClosed);
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return 1;
		}

	}

}
