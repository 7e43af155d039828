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

package io.github.lockspring.redis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUtils;
import io.github.lockspring.concurrent.DistributedAtomicLong;
import io.github.lockspring.concurrent.DistributedBarrier;
import io.github.lockspring.concurrent.DistributedCountDownLatch;
import io.github.lockspring.concurrent.DistributedDoubleBarrier;
import io.github.lockspring.concurrent.LeaderElection;
import io.github.lockspring.concurrent.LeaseReadWriteLock;
import io.github.lockspring.concurrent.LeaseSemaphore;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.concurrent.SharedCount;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.LeaseHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The permissions that the documentation names, with every kind of lock and value.
 */
class RedisRightsServerTests {

	private static final Duration MAX_WAIT = Duration.ofMinutes(1);

	private static final RedisLockSettings SETTINGS = RedisLockSettings.defaults().withOperationTimeout(MAX_WAIT);

	private final RedisServer server = RedisServer.shared();

	@BeforeEach
	void permit() throws Exception {
		List<String> rule = new ArrayList<>(List.of("ACL", "SETUSER", "locks", "reset", "on", ">secret"));
		rule.addAll(List.of(documentedRights().split("\\s+")));
		this.server.command(rule.toArray(String[]::new));
		this.server.command("ACL", "LOG", "RESET");
	}

	@AfterEach
	void forbid() {
		this.server.command("ACL", "DELUSER", "locks");
	}

	private static String documentedRights() throws Exception {
		String page = Files.readString(Path.of("..", "docs", "backends", "redis.md"));
		Matcher rule = Pattern.compile("user locks on >secret ([^`]+)```").matcher(page);
		assertThat(rule.find()).isTrue();
		return rule.group(1).strip();
	}

	@ParameterizedTest
	@EnumSource(RedisStore.Client.class)
	void areEnoughForEveryKindOfLockAndValue(RedisStore.Client client) throws Exception {
		RedisStandaloneConfiguration configuration = RedisProcess.configuration(this.server);
		configuration.setUsername("locks");
		configuration.setPassword("secret");
		RedisConnectionFactory factory = client.connect(configuration);
		try (LockTemplate one = template(factory); LockTemplate two = template(factory)) {
			LockUtils.engine(one).inspection().probe();
			useLocks(one, two);
			usePermits(new LockClient(one), new LockClient(two));
			useNumbers(new LockClient(one), new LockClient(two));
			useMeetings(new LockClient(one), new LockClient(two));
			assertThat(LockUtils.engine(one).inspection().warnings())
				.noneMatch((warning) -> warning.contains("subscription"));
		}
		finally {
			((DisposableBean) factory).destroy();
		}
		RedisProcess.assertNothingDenied(this.server);
	}

	private static LockTemplate template(RedisConnectionFactory factory) {
		return LockTemplate.builder(new RedisLockBackend(factory, SETTINGS))
			.operationTimeout(MAX_WAIT)
			.waitTime(MAX_WAIT)
			.build();
	}

	private static void useLocks(LockTemplate one, LockTemplate two) throws Exception {
		for (LockType type : List.of(LockType.REENTRANT, LockType.FAIR, LockType.READ)) {
			LockOptions options = one.defaultOptions().withType(type);
			LockHandle held = one.acquire("key", options.withLockAtLeastFor(Duration.ofMillis(50)));
			CompletableFuture<LockHandle> next = two.acquireAsync("key").toCompletableFuture();
			LockUtils.engine(one).inspection().holders("lock:key");
			LockUtils.engine(one).inspection().queueAsync("lock:key").get();
			held.close();
			next.get().close();
		}
		one.acquireAll(List.of("a", "b", "c")).close();
		LeaseReadWriteLock lock = new LockClient(one).readWriteLock("read-write");
		lock.writeLock().lock();
		lock.readLock().lock();
		lock.writeLock().unlock();
		lock.readLock().unlock();
		LockHandle ended = one.acquire("ended");
		LeaseHolder holder = LockUtils.engine(two).inspection().holders("lock:ended").get(0);
		assertThat(LockUtils.engine(two).inspection().forceReleaseAsync("lock:ended", holder).get()).isTrue();
		await().until(() -> !ended.isHeld());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(ended::close);
		LeaderElection election = new LockClient(one).leaderElection("election");
		election.start();
		election.await();
		election.stop();
	}

	private static void usePermits(LockClient one, LockClient two) throws Exception {
		LeaseSemaphore semaphore = one.semaphore("permits", 3);
		semaphore.acquire(3);
		semaphore.release(1);
		semaphore.resize(4);
		LeaseSemaphore other = two.semaphore("permits", 3);
		assertThat(other.tryAcquire(2, MAX_WAIT)).isTrue();
		assertThat(other.limit()).isEqualTo(4);
		other.release(2);
		semaphore.release(2);
	}

	private static void useNumbers(LockClient one, LockClient two) throws Exception {
		DistributedAtomicLong number = one.atomicLong("number");
		number.set(Long.MAX_VALUE - 1);
		assertThat(number.incrementAndGet()).isEqualTo(Long.MAX_VALUE);
		SharedCount count = one.sharedCount("count");
		SharedCount watched = two.sharedCount("count");
		CompletableFuture<Integer> seen = new CompletableFuture<>();
		watched.addListener(seen::complete);
		count.setCount(7);
		assertThat(seen.get()).isEqualTo(7);
		assertThat(count.delete()).isTrue();
		count.setCount(8);
		watched.close();
		count.close();
	}

	private static void useMeetings(LockClient one, LockClient two) throws Exception {
		DistributedCountDownLatch latch = one.countDownLatch("latch");
		latch.trySetCount(1);
		CompletableFuture<Boolean> opened = two.countDownLatch("latch").awaitAsync(MAX_WAIT);
		latch.countDown();
		assertThat(opened.get()).isTrue();
		latch.delete();
		DistributedBarrier barrier = one.barrier("barrier");
		barrier.setBarrier();
		CompletableFuture<Boolean> passed = two.barrier("barrier").waitOnBarrierAsync(MAX_WAIT);
		barrier.removeBarrier();
		assertThat(passed.get()).isTrue();
		DistributedDoubleBarrier first = one.doubleBarrier("meeting", 2);
		DistributedDoubleBarrier second = two.doubleBarrier("meeting", 2);
		CompletableFuture<Boolean> entered = first.enterAsync(MAX_WAIT);
		assertThat(second.enterAsync(MAX_WAIT).get()).isTrue();
		assertThat(entered.get()).isTrue();
		CompletableFuture<Boolean> left = first.leaveAsync(MAX_WAIT);
		assertThat(second.leaveAsync(MAX_WAIT).get()).isTrue();
		assertThat(left.get()).isTrue();
		await().until(left::isDone);
	}

}
