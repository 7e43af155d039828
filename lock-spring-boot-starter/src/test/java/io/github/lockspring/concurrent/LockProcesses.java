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

import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;

/**
 * Two processes on one store, which all tests of a set-up use one after the other: to
 * connect and to disconnect takes longer than most tests.
 */
public final class LockProcesses implements AutoCloseable {

	private final Supplier<LockBackend> backends;

	private final Consumer<LeaseRequest> expiry;

	private @Nullable LockProcess one;

	private @Nullable LockProcess two;

	/**
	 * Creates processes that start when they are needed.
	 * @param backends creates a backend on the shared store
	 * @param expiry makes the store regard a lease as over
	 */
	public LockProcesses(Supplier<LockBackend> backends, Consumer<LeaseRequest> expiry) {
		this.backends = backends;
		this.expiry = expiry;
	}

	LockProcess one() {
		this.one = running(this.one);
		return this.one;
	}

	LockProcess two() {
		this.two = running(this.two);
		return this.two;
	}

	/**
	 * Returns a process, or another one if a test has closed it.
	 */
	private LockProcess running(@Nullable LockProcess process) {
		return (process != null && !process.isClosed()) ? process : new LockProcess(backend());
	}

	/**
	 * Creates another backend on the same store.
	 */
	LockBackend backend() {
		return this.backends.get();
	}

	/**
	 * Makes the store regard a lease as over.
	 */
	void expire(LeaseRequest lease) {
		this.expiry.accept(lease);
	}

	@Override
	public void close() {
		if (this.one != null) {
			this.one.close();
		}
		if (this.two != null) {
			this.two.close();
		}
	}

}
