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

package io.github.lockspring.benchmarks.contestant;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import io.github.lockspring.concurrent.DistributedCountDownLatch;
import io.github.lockspring.concurrent.LeaseLock;
import io.github.lockspring.concurrent.LeaseReadWriteLock;
import io.github.lockspring.concurrent.LeaseSemaphore;
import io.github.lockspring.concurrent.LockClient;

/**
 * A primitive other than an exclusive lock, in the place of one: what a workload takes
 * for an acquisition is an increment, a permit of eight, a read lock, or waiting for a
 * latch that a release opens. The first one to wait for a latch waits in vain for a
 * while, because no other thread opens it.
 */
public final class Primitive implements Contestant {

	private static final int PERMITS = 8;

	private static final int LATCH_SECONDS = 8;

	private static final RetryPolicy RETRIES = new RetryForever(1);

	private final Operation operation;

	private final Runnable cleanUp;

	private Primitive(Operation operation, Runnable cleanUp) {
		this.operation = operation;
		this.cleanUp = cleanUp;
	}

	/**
	 * What other contestants do to acquire, as an increment.
	 * @param floor the least that a store can do
	 * @return the contestant
	 */
	public static Primitive half(Contestant floor) {
		return increment((key) -> floor.acquire(key), floor::close);
	}

	private static Primitive increment(Increment increment, Runnable cleanUp) {
		return new Primitive((key) -> {
			increment.run(key);
			return () -> {
			};
		}, cleanUp);
	}

	/**
	 * Our atomic long.
	 * @param starter brings the client
	 * @return the contestant
	 */
	public static Primitive increment(LockStarter starter) {
		LockClient client = starter.client();
		return increment((key) -> client.atomicLong(key).incrementAndGet(), starter::close);
	}

	/**
	 * Our semaphore.
	 * @param starter brings the client
	 * @return the contestant
	 */
	public static Primitive permit(LockStarter starter) {
		LockClient client = starter.client();
		return new Primitive((key) -> {
			LeaseSemaphore semaphore = client.semaphore(key, PERMITS);
			semaphore.acquire();
			return semaphore::release;
		}, starter::close);
	}

	/**
	 * Our read lock.
	 * @param starter brings the client
	 * @return the contestant
	 */
	public static Primitive read(LockStarter starter) {
		LockClient client = starter.client();
		return new Primitive((key) -> {
			LeaseLock lock = client.readWriteLock(key).readLock();
			lock.lockInterruptibly();
			return lock::unlock;
		}, starter::close);
	}

	/**
	 * Our read-write lock: every tenth acquisition writes.
	 * @param starter brings the client
	 * @return the contestant
	 */
	public static Primitive readWrite(LockStarter starter) {
		LockClient client = starter.client();
		return new Primitive((key) -> {
			LeaseReadWriteLock locks = client.readWriteLock(key);
			LeaseLock lock = isWriting() ? locks.writeLock() : locks.readLock();
			lock.lockInterruptibly();
			return lock::unlock;
		}, starter::close);
	}

	private static boolean isWriting() {
		return ThreadLocalRandom.current().nextInt(10) == 0;
	}

	/**
	 * Our count-down latch.
	 * @param starter brings the client
	 * @return the contestant
	 */
	public static Primitive latch(LockStarter starter) {
		LockClient client = starter.client();
		return new Primitive((key) -> {
			DistributedCountDownLatch latch = client.countDownLatch(key);
			latch.trySetCount(1);
			latch.await(LATCH_SECONDS, TimeUnit.SECONDS);
			return latch::countDown;
		}, starter::close);
	}

	/**
	 * {@code INCR} by a bare Lettuce.
	 * @param uri the address of the server
	 * @return the contestant
	 */
	public static Primitive rawIncrement(String uri) {
		RedisClient client = RedisClient.create(uri);
		RedisCommands<String, String> commands = client.connect().sync();
		return increment((key) -> commands.incr("bench-raw-count:" + key), client::close);
	}

	/**
	 * {@code setData} by a bare ZooKeeper client.
	 * @param connectString the address of the servers
	 * @return the contestant
	 */
	public static Primitive rawSetData(String connectString) {
		ZooKeeper client = PlainZooKeeper.connect(connectString);
		return increment((key) -> setData(client, "/bench-raw-" + key), () -> PlainZooKeeper.close(client));
	}

	private static void setData(ZooKeeper client, String path) throws InterruptedException {
		try {
			client.setData(path, new byte[Long.BYTES], -1);
		}
		catch (KeeperException.NoNodeException ex) {
			PlainZooKeeper.ensure(client, path);
		}
		catch (KeeperException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public static Primitive redissonIncrement(String uri) {
		RedissonClient client = redisson(uri);
		return increment((key) -> client.getAtomicLong("bench-redisson-count:" + key).incrementAndGet(),
				client::shutdown);
	}

	public static Primitive redissonPermit(String uri) {
		RedissonClient client = redisson(uri);
		Set<String> keys = ConcurrentHashMap.newKeySet();
		return new Primitive((key) -> {
			RSemaphore semaphore = client.getSemaphore("bench-redisson-permits:" + key);
			if (keys.add(key)) {
				semaphore.trySetPermits(PERMITS);
			}
			semaphore.acquire();
			return semaphore::release;
		}, client::shutdown);
	}

	public static Primitive redissonReadWrite(String uri) {
		RedissonClient client = redisson(uri);
		return new Primitive((key) -> {
			RReadWriteLock locks = client.getReadWriteLock("bench-redisson-read:" + key);
			RLock lock = isWriting() ? locks.writeLock() : locks.readLock();
			lock.lockInterruptibly();
			return lock::unlock;
		}, client::shutdown);
	}

	public static Primitive redissonRead(String uri) {
		RedissonClient client = redisson(uri);
		return new Primitive((key) -> {
			RLock lock = client.getReadWriteLock("bench-redisson-read:" + key).readLock();
			lock.lockInterruptibly();
			return lock::unlock;
		}, client::shutdown);
	}

	public static Primitive redissonLatch(String uri) {
		RedissonClient client = redisson(uri);
		return new Primitive((key) -> {
			RCountDownLatch latch = client.getCountDownLatch("bench-redisson-latch:" + key);
			latch.trySetCount(1);
			latch.await(LATCH_SECONDS, TimeUnit.SECONDS);
			return latch::countDown;
		}, client::shutdown);
	}

	private static RedissonClient redisson(String uri) {
		Config config = new Config();
		config.useSingleServer().setAddress(uri);
		return Redisson.create(config);
	}

	public static Primitive curatorIncrement(CuratorFramework client) {
		return increment(
				(key) -> require(
						new DistributedAtomicLong(client, "/curator-count-" + key, RETRIES).increment().succeeded()),
				client::close);
	}

	private static void require(boolean succeeded) {
		if (!succeeded) {
			throw new IllegalStateException("Not counted");
		}
	}

	public static Primitive curatorPermit(CuratorFramework client) {
		return new Primitive((key) -> {
			InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, "/curator-permits/" + key, PERMITS);
			Lease lease = semaphore.acquire();
			return () -> semaphore.returnLease(lease);
		}, client::close);
	}

	/**
	 * The barrier of Curator, which has no latch.
	 * @param client the client
	 * @return the contestant
	 */
	public static Primitive curatorLatch(CuratorFramework client) {
		return new Primitive((key) -> {
			DistributedBarrier barrier = new DistributedBarrier(client, "/curator-latch/" + key);
			barrier.setBarrier();
			barrier.waitOnBarrier(LATCH_SECONDS, TimeUnit.SECONDS);
			return () -> remove(barrier);
		}, client::close);
	}

	private static void remove(DistributedBarrier barrier) {
		try {
			barrier.removeBarrier();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	public static Primitive curatorRead(CuratorFramework client) {
		return new Primitive((key) -> {
			InterProcessMutex lock = new InterProcessReadWriteLock(client, "/curator-read/" + key).readLock();
			lock.acquire();
			return () -> release(lock);
		}, client::close);
	}

	private static void release(InterProcessMutex lock) {
		try {
			lock.release();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		try {
			return this.operation.run(key);
		}
		catch (InterruptedException | RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public @Nullable Hold tryAcquire(String key) throws InterruptedException {
		return acquire(key);
	}

	@Override
	public void close() {
		this.cleanUp.run();
	}

	@FunctionalInterface
	private interface Operation {

		Hold run(String key) throws Exception;

	}

	@FunctionalInterface
	private interface Increment {

		void run(String key) throws Exception;

	}

}
