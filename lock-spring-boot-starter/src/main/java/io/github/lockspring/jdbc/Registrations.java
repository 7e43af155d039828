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
package io.github.lockspring.jdbc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Those who want to be notified of a change of a key, by the name of the key in messages.
 * A registration expires unless it is renewed. Thread-safe.
 *
 * @param <T> the type of the registered objects
 */
final class Registrations<T> {

	private final Map<String, Map<T, Long>> times = new ConcurrentHashMap<>();

	private final long lifetime;

	/**
	 * Create an empty set of registrations.
	 * @param lifetime the time after which a registration expires
	 */
	Registrations(Duration lifetime) {
		this.lifetime = lifetime.toNanos();
	}

	/**
	 * Return the name of a key in messages, from which the key cannot be read.
	 */
	private static String nameOf(String key) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest, 0, 8);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex); // every JDK has it
		}
	}

	/**
	 * Register an object, or renew its registration.
	 */
	void add(String key, T registered) {
		this.times.compute(nameOf(key), (name, times) -> {
			Map<T, Long> all = (times != null) ? times : new ConcurrentHashMap<>();
			all.put(registered, System.nanoTime());
			return all;
		});
	}

	void remove(String key, T registered) {
		if (!this.times.isEmpty()) {
			this.times.computeIfPresent(nameOf(key), (name, times) -> {
				times.remove(registered);
				return times.isEmpty() ? null : times;
			});
		}
	}

	void removeExpired() {
		long now = System.nanoTime();
		this.times.keySet().forEach((name) -> this.times.computeIfPresent(name, (same, times) -> {
			times.values().removeIf((since) -> now - since > this.lifetime);
			return times.isEmpty() ? null : times;
		}));
	}

	/**
	 * Return the names of all keys.
	 */
	Set<String> names() {
		return this.times.keySet();
	}

	/**
	 * Return those who are registered for a key.
	 * @param name the name of the key
	 */
	Set<T> of(String name) {
		return this.times.getOrDefault(name, Map.of()).keySet();
	}

}
