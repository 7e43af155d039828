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

package io.github.lockspring.test;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.autoconfigure.LockBackendReplacement;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.LockBackend;

/**
 * Stores in memory, one for each backend of the application, and their clock.
 */
final class TestLockStores implements LockBackendReplacement {

	private static final Log logger = LogFactory.getLog(TestLockStores.class);

	private final Map<String, LocalStore> stores = new ConcurrentHashMap<>();

	private final Set<LockHeldElsewhere> heldElsewhere = ConcurrentHashMap.newKeySet();

	private final SettableTime time;

	TestLockStores(SettableTime time) {
		this.time = time;
	}

	@Override
	public LockBackend replace(String name) {
		logger.info("Lock backend '" + name + "' is replaced by one in the memory of this process, for tests");
		return new LocalLockBackend(name, store(name));
	}

	LocalStore store(String backend) {
		return this.stores.computeIfAbsent(backend, (name) -> new LocalStore(this.time));
	}

	/**
	 * Return the locks that a test holds as if it were another process.
	 */
	Set<LockHeldElsewhere> heldElsewhere() {
		return this.heldElsewhere;
	}

	SettableTime time() {
		return this.time;
	}

	boolean isClean() {
		return this.time.isUnmoved() && this.heldElsewhere.isEmpty()
				&& this.stores.values().stream().allMatch(LocalStore::isEmpty);
	}

	void clear() {
		this.heldElsewhere.clear();
		this.stores.values().forEach(LocalStore::clear);
		this.time.resetWall();
	}

}
