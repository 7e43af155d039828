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

package io.github.lockspring;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Class whose calls and monitors are replaced, as it is in a package of locks.
 */
public final class ReplacedSample {

	private static int inside;

	private final ReentrantLock lock = new ReentrantLock();

	private int entered;

	public static LongSupplier clock() {
		return System::nanoTime;
	}

	public static long millis() {
		return System.currentTimeMillis();
	}

	public static void park(long nanos) {
		LockSupport.parkNanos(nanos);
	}

	/**
	 * Be alone in a static method for a while.
	 */
	public static synchronized int stayInStatic(long nanos) {
		return stay(nanos);
	}

	/**
	 * Be alone in a method for a while.
	 */
	public synchronized int stayInMethod(long nanos, Object argument) {
		return stay(nanos);
	}

	/**
	 * Be alone in a block for a while.
	 */
	public int stayInBlock(long nanos) {
		synchronized (this.lock) {
			return stay(nanos);
		}
	}

	/**
	 * Be alone under a lock for a while.
	 */
	public int stayUnderLock(long nanos) {
		this.lock.lock();
		try {
			return stay(nanos);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Enter a monitor again.
	 */
	public synchronized int enterAgain() {
		return (++this.entered < 3) ? enterAgain() : this.entered;
	}

	/**
	 * Leave a monitor by an exception.
	 */
	public synchronized void fail(List<String> values) {
		throw new IllegalStateException(values.toString());
	}

	private static int stay(long nanos) {
		int others = inside++;
		LockSupport.parkNanos(nanos);
		inside--;
		return others;
	}

}
