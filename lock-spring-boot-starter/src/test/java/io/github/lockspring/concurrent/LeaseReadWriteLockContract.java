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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockUpgradeException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What {@link LeaseReadWriteLock} promises on every backend, as tests.
 */
public abstract class LeaseReadWriteLockContract extends LockClientContract {

	private LeaseLock read;

	private LeaseLock write;

	private LeaseLock readElsewhere;

	private LeaseLock writeElsewhere;

	/**
	 * Creates a suite.
	 * @param processes the two processes
	 */
	protected LeaseReadWriteLockContract(LockProcesses processes) {
		super(processes);
	}

	@BeforeEach
	void createLocks() {
		LeaseReadWriteLock lock = this.one.client.readWriteLock(this.key);
		LeaseReadWriteLock elsewhere = this.two.client.readWriteLock(this.key);
		this.read = lock.readLock();
		this.write = lock.writeLock();
		this.readElsewhere = elsewhere.readLock();
		this.writeElsewhere = elsewhere.writeLock();
	}

	private void requireReaders() {
		requires(Capability.SHARED);
	}

	private void assertFree(boolean forReaders, boolean forWriters) {
		assertThat(isFree(this.read)).as("for readers of this process").isEqualTo(forReaders);
		assertThat(isFree(this.readElsewhere)).as("for readers of the other process").isEqualTo(forReaders);
		assertThat(isFree(this.write)).as("for writers of this process").isEqualTo(forWriters);
		assertThat(isFree(this.writeElsewhere)).as("for writers of the other process").isEqualTo(forWriters);
	}

	@Test
	void backendWithoutReadLocksSaysSo() {
		assumeFalse(this.one.has(Capability.SHARED), "Has read locks");
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.read::lock)
			.withMessageContaining('\'' + this.one.backendName() + '\'')
			.withMessageContaining("read locks");
		this.write.lock();
		assertThat(isFree(this.writeElsewhere)).isFalse();
	}

	@Test
	@Tag(EVERYWHERE)
	void readersReadTogetherAndWritersWriteAlone() {
		requireReaders();
		this.read.lock();
		assertFree(true, false);
		this.readElsewhere.lock();
		assertFree(true, false);
		this.read.unlock();
		assertFree(true, false);
		this.readElsewhere.unlock();
		assertFree(true, true);
		this.write.lock();
		assertFree(false, false);
		this.write.unlock();
		assertFree(true, true);
	}

	@Test
	void bothLocksAreReentrant() throws InterruptedException {
		requireReaders();
		this.read.lock();
		assertThat(this.read.tryLock(1, TimeUnit.MINUTES)).isTrue();
		assertThat(this.read.getHoldCount()).isEqualTo(2);
		this.read.unlock();
		assertFree(true, false);
		this.read.unlock();
		this.write.lock();
		this.write.lockInterruptibly();
		assertThat(this.write.getHoldCount()).isEqualTo(2);
		assertThat(this.read.getHoldCount()).isZero();
		this.write.unlock();
		assertFree(false, false);
		this.write.unlock();
		assertFree(true, true);
	}

	@Test
	void readerThatHoldsTheLockReadsAgainWhileAWriterWaits() {
		requireReaders();
		this.read.lock();
		TestThread<Boolean> writer = startWaiting(this.write, cycle(this.write));
		assertThat(this.read.tryLock()).isTrue();
		this.read.unlock();
		assertThat(writer.result).isNotDone();
		this.read.unlock();
		assertThat(writer.get()).isTrue();
	}

	@Test
	@Tag(EVERYWHERE)
	void writerDowngradesToReader() {
		requireReaders();
		this.write.lock();
		this.read.lock();
		assertThat(this.write.getHoldCount()).isOne();
		assertThat(this.read.getHoldCount()).isOne();
		TestThread<Boolean> writer = startWaiting(this.writeElsewhere, cycle(this.writeElsewhere));
		this.write.unlock();
		assertNotHeldByCurrentThread(this.write);
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		assertThat(writer.result).as("no writer in between").isNotDone();
		this.read.unlock();
		assertThat(writer.get()).isTrue();
		assertNotHeldByCurrentThread(this.read);
		assertFree(true, true);
	}

	@Test
	void innerReaderLeavesTheWriterAlone() {
		requireReaders();
		this.write.lock();
		this.read.lock();
		this.read.unlock();
		assertNotHeldByCurrentThread(this.read);
		assertFree(false, false);
		this.write.unlock();
		assertFree(true, true);
	}

	@Test
	void readerIsAdmittedAfterADowngrade() {
		requireReaders();
		this.write.lock();
		this.read.lock();
		this.write.unlock();
		assertFree(true, false);
	}

	@Test
	@Tag(EVERYWHERE)
	void upgradeIsRejectedAtOnce() {
		requireReaders();
		this.read.lock();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(this.write::lock);
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(this.write::lockInterruptibly);
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(this.write::tryLock);
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> this.write.tryLock(LONG));
		assertThat(this.read.getHoldCount()).isOne();
		assertThat(this.write.isHeldByCurrentThread()).isFalse();
		assertFree(true, false);
		this.read.unlock();
		assertThat(this.write.tryLock()).isTrue();
	}

	@Test
	void strangerUnlocksNeitherOfTheLocks() {
		requireReaders();
		for (LeaseLock held : List.of(this.read, this.write)) {
			held.lock();
			for (LeaseLock lock : List.of(this.read, this.write, this.readElsewhere, this.writeElsewhere)) {
				assertThat(start(() -> {
					lock.unlock();
					return true;
				}).failure()).isInstanceOf(IllegalMonitorStateException.class);
			}
			assertNotHeldByCurrentThread((held == this.read) ? this.write : this.read);
			assertFree(held == this.read, false);
			held.unlock();
			assertNotHeldByCurrentThread(held);
		}
	}

	@Test
	void queriesDistinguishTheTwoLocks() {
		requireReaders();
		this.read.lock();
		TestThread.call(() -> {
			this.readElsewhere.lock();
			return true;
		});
		assertThat(TestThread.call(this.read::isLocked)).isTrue();
		assertThat(TestThread.call(this.write::isLocked)).isFalse();
		assertThat(this.writeElsewhere.holders()).hasSize(2)
			.allSatisfy((holder) -> assertThat(holder.mode()).isEqualTo(LeaseMode.SHARED));
		assertThat(this.read.isHeldByCurrentThread()).isTrue();
		assertThat(this.readElsewhere.isHeldByCurrentThread()).isFalse();
		this.read.unlock();
		assertThat(TestThread.call(this.read::isLocked)).as("by the other process").isTrue();
	}

	@Test
	void queriesOfTheWriter() {
		requireReaders();
		this.write.lock();
		assertThat(this.writeElsewhere.isLocked()).isTrue();
		assertThat(this.readElsewhere.isLocked()).isFalse();
		assertThat(this.writeElsewhere.holder().mode()).isEqualTo(LeaseMode.EXCLUSIVE);
		assertThat(this.write.isHeldByCurrentThread()).isTrue();
		assertThat(this.read.isHeldByCurrentThread()).isFalse();
	}

	@Test
	void tokenOfTheWriterIsGreaterThanThoseOfReadersBefore() {
		requireReaders();
		requires(Capability.FENCING);
		this.read.lock();
		long first = this.read.fencingToken();
		long second = TestThread.call(() -> {
			this.readElsewhere.lock();
			long token = this.readElsewhere.fencingToken();
			this.readElsewhere.unlock();
			return token;
		});
		this.read.unlock();
		this.writeElsewhere.lock();
		long writer = this.writeElsewhere.fencingToken();
		assertThat(writer).isGreaterThan(first).isGreaterThan(second);
		this.readElsewhere.lock();
		assertThat(this.readElsewhere.fencingToken()).as("under the write lock").isEqualTo(writer);
	}

	@Test
	@Tag(EVERYWHERE)
	void waitingReadersFollowTheWriterTogether() {
		requireReaders();
		this.write.lock();
		AtomicInteger reading = new AtomicInteger();
		List<TestThread<Boolean>> readers = new ArrayList<>();
		for (LeaseLock lock : List.of(this.read, this.readElsewhere, this.read, this.readElsewhere)) {
			readers.add(startWaiting(lock, () -> {
				lock.lock();
				reading.incrementAndGet();
				await().until(() -> reading.get() == 4);
				lock.unlock();
				return true;
			}));
		}
		this.write.unlock();
		assertThat(readers).allSatisfy((reader) -> assertThat(reader.get()).isTrue());
		assertFree(true, true);
	}

	@Test
	void readerThatTriesOncePassesAWaitingWriterUnlessTheStoreKeepsAQueue() {
		requireReaders();
		LeaseLock readOfThird = startProcess().client.readWriteLock(this.key).readLock();
		this.read.lock();
		TestThread<Boolean> writer = startWaiting(this.writeElsewhere, cycle(this.writeElsewhere));
		if (this.one.has(Capability.QUEUE)) {
			await().until(() -> !isFree(readOfThird));
		}
		assertThat(isFree(readOfThird)).isEqualTo(!this.one.has(Capability.QUEUE));
		this.read.unlock();
		assertThat(writer.get()).isTrue();
	}

	@Test
	void readersThatComeAndGoDoNotKeepWritersOut() {
		requireReaders();
		assumeTrue(this.one.has(Capability.QUEUE) || this.one.has(Capability.POLLED_QUEUE), "Has no queue");
		AtomicBoolean end = new AtomicBoolean();
		List<TestThread<Boolean>> readers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			readers.add(start(() -> {
				while (!end.get()) {
					this.read.lock();
					Thread.sleep(1);
					this.read.unlock();
				}
				return true;
			}));
		}
		assertThat(start(cycle(this.writeElsewhere)).get()).isTrue();
		assertThat(start(cycle(this.write)).get()).isTrue();
		end.set(true);
		readers.forEach(TestThread::get);
	}

	@Test
	void interruptEndsTheWaiting() {
		requireReaders();
		this.writeElsewhere.lock();
		assertInterruptedOnEntry(this.read::lockInterruptibly);
		assertInterrupted(startWaiting(this.read, () -> this.read.tryLock(LONG)));
		this.writeElsewhere.unlock();
		this.readElsewhere.lock();
		assertInterrupted(startWaiting(this.write, () -> {
			this.write.lockInterruptibly();
			return true;
		}));
		assertBecomesFree(this.readElsewhere);
		this.readElsewhere.unlock();
		assertBecomesFree(this.write, this.writeElsewhere);
	}

	@Test
	void unlockAfterTheLossSaysSo() {
		requireReaders();
		this.read.lock();
		expire(this.read, this.key);
		assertThat(TestThread.call(() -> this.writeElsewhere.tryLock(LONG))).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.read::unlock);
		assertNotHeldByCurrentThread(this.read);
	}

	@Test
	void readersAndWritersNeverMeet() {
		requireReaders();
		AtomicInteger readers = new AtomicInteger();
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger meetings = new AtomicInteger();
		List<TestThread<Boolean>> threads = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			LeaseReadWriteLock lock = ((i % 2 == 0) ? this.one : this.two).client.readWriteLock(this.key);
			threads.add(start(() -> {
				for (int cycle = 0; cycle < 20; cycle++) {
					boolean writes = cycle % 4 == 0;
					LeaseLock mine = writes ? lock.writeLock() : lock.readLock();
					mine.lock();
					(writes ? writers : readers).incrementAndGet();
					if (writers.get() > 1 || writers.get() == 1 && readers.get() > 0) {
						meetings.incrementAndGet();
					}
					Thread.yield();
					(writes ? writers : readers).decrementAndGet();
					mine.unlock();
				}
				return true;
			}));
		}
		threads.forEach(TestThread::get);
		assertThat(meetings).hasValue(0);
		assertFree(true, true);
	}

	@Test
	void asynchronousReadersReadTogether() {
		requireReaders();
		LockHandle one = result(this.read.lockAsync());
		LockHandle two = result(this.read.lockAsync());
		LockHandle three = result(this.readElsewhere.lockAsync());
		assertThat(result(this.writeElsewhere.tryLockAsync())).isNull();
		one.close();
		result(two.closeAsync());
		assertFree(true, false);
		three.close();
		result(this.writeElsewhere.lockAsync()).close();
	}

}
