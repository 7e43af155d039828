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

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.concurrent.DistributedAtomicLong;
import io.github.lockspring.concurrent.LeaseSemaphore;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The keys on a server that this library uses for itself, and keys of users that look
 * like them.
 */
final class InternalKeys {

	private static final String PREFIX = "lock:";

	private final LockTemplate locks;

	private final RedisServer server;

	InternalKeys(LockTemplate locks, RedisServer server) {
		this.locks = locks;
		this.server = server;
	}

	/**
	 * Asserts that no key of a user is one of them, neither by its name nor in use.
	 * @return their names
	 */
	Set<String> assertNoUserReachesThem() throws InterruptedException {
		use();
		Set<String> internal = new LinkedHashSet<>();
		for (Object name : (List<?>) this.server.command("KEYS", "*")) {
			if (!name.toString().contains("of a user")) {
				internal.add(name.toString());
			}
		}
		for (String key : keysLike(internal)) {
			String storeKey = PREFIX + key;
			assertThat(internal).doesNotContain(new String(RedisKeys.of(storeKey), StandardCharsets.UTF_8))
				.doesNotContain(RedisKeys.ofValue(storeKey));
			assertIsLeftAlone(key);
		}
		return internal;
	}

	private List<String> keysLike(Set<String> internal) {
		List<String> candidates = new ArrayList<>(List.of(PREFIX + ":lead", PREFIX + ":probe", PREFIX + ":mark"));
		for (String name : internal) {
			String tag = name.substring(1, name.indexOf('}'));
			candidates.addAll(List.of(name, tag, tag + name.substring(name.indexOf('}') + 1), tag + "}:mark"));
		}
		return candidates.stream()
			.map((text) -> text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text)
			.filter(this::isPermitted)
			.toList();
	}

	private boolean isPermitted(String key) {
		try {
			this.locks.storeKey(key);
			return true;
		}
		catch (InvalidLockKeyException ex) {
			return false;
		}
	}

	private void assertIsLeftAlone(String key) throws InterruptedException {
		LockClient client = new LockClient(this.locks);
		DistributedAtomicLong number = client.atomicLong(key);
		number.set(7);
		LeaseSemaphore permits = client.semaphore("permits" + key, 3);
		permits.acquire(2);
		try (LockHandle held = this.locks.acquire(key)) {
			use();
			assertThat(LockUtils.engine(this.locks).inspection().holders(PREFIX + key)).singleElement()
				.satisfies((holder) -> assertThat(holder.token()).isEqualTo(held.fencingToken()));
		}
		assertThat(permits.availablePermits()).isEqualTo(1);
		permits.release(2);
		assertThat(number.get()).isEqualTo(7);
	}

	/**
	 * Uses a server in every way that writes keys.
	 */
	private void use() throws InterruptedException {
		LockClient client = new LockClient(this.locks);
		LockUtils.engine(this.locks).inspection().probe();
		this.locks.acquire("of a user").close();
		client.atomicLong("of a user").incrementAndGet();
		LeaseSemaphore permits = client.semaphore("permits of a user", 2);
		permits.acquire();
		permits.release();
	}

}
