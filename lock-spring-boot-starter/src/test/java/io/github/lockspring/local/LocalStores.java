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

package io.github.lockspring.local;

import io.github.lockspring.faults.Store;
import io.github.lockspring.faults.StoreClient;
import io.github.lockspring.spi.LockBackend;

/**
 * Lets tests of other packages look into a {@link LocalStore}, and share one.
 */
public final class LocalStores {

	private LocalStores() {
	}

	/**
	 * How many keys and leases a store knows; places in queues count as keys.
	 * @param store the store
	 * @return zero if nothing is left in it
	 */
	public static int size(LocalStore store) {
		return store.size();
	}

	/**
	 * Lets several backends share a store, as if they were in processes of their own.
	 * @param store the store
	 * @return the store, for processes of tests
	 */
	public static Store asStore(LocalStore store) {
		return (settings) -> new Client(new LocalLockBackend(store));
	}

	/**
	 * The connection of a process, which has nothing to close.
	 *
	 * @param backend the backend
	 */
	private record Client(LockBackend backend) implements StoreClient {

		@Override
		public void disconnect() {
			throw new UnsupportedOperationException("There is no connection");
		}

		@Override
		public void close() {
		}

	}

}
