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

package io.github.lockspring.simulator.redis;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Channels of a {@link RedisModel} and their listeners, in the order of subscription.
 */
final class Channels {

	private final Map<String, Set<RedisListener>> listeners = new LinkedHashMap<>();

	/**
	 * Publish a message.
	 * @return the number of listeners
	 */
	long publish(String channel, String text) {
		Set<RedisListener> all = this.listeners.getOrDefault(channel, Set.of());
		all.forEach((listener) -> listener.message(text));
		return all.size();
	}

	void subscribe(String channel, RedisListener listener) {
		this.listeners.computeIfAbsent(channel, (name) -> new LinkedHashSet<>()).add(listener);
	}

	void unsubscribe(RedisListener listener) {
		this.listeners.values().forEach((all) -> all.remove(listener));
		this.listeners.values().removeIf(Set::isEmpty);
	}

	boolean hasListener(RedisListener listener) {
		return this.listeners.values().stream().anyMatch((all) -> all.contains(listener));
	}

	/**
	 * Forget all listeners.
	 */
	void clear() {
		this.listeners.clear();
	}

	/**
	 * Close the connections of all listeners.
	 */
	void close() {
		List<RedisListener> all = this.listeners.values().stream().flatMap(Set::stream).toList();
		this.listeners.clear();
		all.forEach(RedisListener::closed);
	}

}
