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

import java.util.concurrent.locks.ReadWriteLock;

/**
 * {@link ReadWriteLock} for the threads of all processes that use the same store: any
 * number of threads can hold the read lock, or a single one the write lock.
 * <p>
 * Both locks are reentrant. A thread that holds the write lock can acquire the read lock
 * as well, and <em>downgrade</em> by releasing the write lock then: it continues to read,
 * other readers are admitted, and no other writer has held the lock in between.
 * <em>Upgrading</em> is not supported, because two readers that wait for the write lock
 * would wait for each other: a thread that holds only the read lock gets a
 * {@link io.github.lockspring.LockUpgradeException} at once if it acquires the write lock
 * with any blocking method.
 * <p>
 * Readers do not keep a writer out: on stores that queue requests, those that arrive
 * after the writer wait behind it, except that readers of a process share the lease of
 * one that reads already, for as long as leases are handed off inside a process.
 * <p>
 * Implementations are thread-safe.
 *
 * @see LockClient#readWriteLock(String)
 */
public interface LeaseReadWriteLock extends ReadWriteLock {

	/**
	 * Return the lock for reading, which any number of threads can hold together.
	 * @return the read lock
	 */
	@Override
	LeaseLock readLock();

	/**
	 * Return the lock for writing, which excludes all other threads.
	 * @return the write lock
	 */
	@Override
	LeaseLock writeLock();

}
