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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Keys of a {@link RedisModel} with strings and hashes, each of which may expire.
 */
final class Keyspace {

	private static final long NEVER = Long.MAX_VALUE;

	private static final int MIN_WRITES_PER_SWEEP = 1000;

	private final Map<String, Entry> entries = new HashMap<>();

	private long nowMillis;

	private int writesSinceSweep;

	Keyspace() {
	}

	Keyspace(Keyspace other) {
		other.entries.forEach((key, entry) -> this.entries.put(key, entry.copy()));
	}

	/**
	 * Set the time, and remove expired keys from time to time.
	 */
	void setTime(long millis) {
		this.nowMillis = millis;
		if (this.writesSinceSweep > Math.max(MIN_WRITES_PER_SWEEP, this.entries.size())) {
			sweep();
		}
	}

	private void sweep() {
		this.writesSinceSweep = 0;
		this.entries.values().removeIf((entry) -> entry.isExpired(this.nowMillis));
	}

	/**
	 * Return the names of all keys that have not expired, sorted.
	 */
	List<String> keys() {
		sweep();
		return this.entries.keySet().stream().sorted().toList();
	}

	int size() {
		return this.entries.size();
	}

	boolean remove(String key) {
		return find(key) != null && this.entries.remove(key) != null;
	}

	void clear() {
		this.entries.clear();
	}

	@Nullable Object run(RedisCommand command, String[] words) {
		if (command.isWrite()) {
			this.writesSinceSweep++;
			return write(command, words);
		}
		Entry entry = find(words[1]);
		return switch (command) {
			case EXISTS -> Arrays.stream(words).skip(1).filter((key) -> find(key) != null).count();
			case GET -> (entry != null) ? entry.string() : null;
			case HGET -> fields(entry).get(words[2]);
			case HGETALL -> pairs(fields(entry));
			case HKEYS -> new ArrayList<>(fields(entry).keySet());
			case HLEN -> (long) fields(entry).size();
			case HMGET -> values(fields(entry), words);
			case PTTL -> (entry != null) ? entry.remaining(this.nowMillis) : -2L;
			default -> throw new IllegalArgumentException(command.name());
		};
	}

	private Object write(RedisCommand command, String[] words) {
		String key = words[1];
		return switch (command) {
			case DEL -> Arrays.stream(words).skip(1).filter(this::remove).count();
			case HDEL -> deleteFields(key, words);
			case HINCRBY -> increment(key, words[2], integer(words[3], RedisErrorReply.NOT_AN_INTEGER));
			case HSET -> setFields(key, words);
			case PERSIST -> persist(key);
			case PEXPIRE -> expire(key, integer(words[2], RedisErrorReply.NOT_AN_INTEGER));
			case SET -> {
				this.entries.put(key, new Entry(words[2]));
				yield new RedisModel.Status("OK");
			}
			default -> throw new IllegalArgumentException(command.name());
		};
	}

	private @Nullable Entry find(String key) {
		Entry entry = this.entries.get(key);
		if (entry != null && entry.isExpired(this.nowMillis)) {
			this.entries.remove(key);
			return null;
		}
		return entry;
	}

	private static Map<String, String> fields(@Nullable Entry entry) {
		return (entry != null) ? entry.hash() : Map.of();
	}

	private Map<String, String> fieldsToChange(String key) {
		Entry entry = find(key);
		if (entry == null) {
			entry = new Entry(new LinkedHashMap<String, String>());
			this.entries.put(key, entry);
		}
		return entry.hash();
	}

	private static List<String> pairs(Map<String, String> fields) {
		List<String> pairs = new ArrayList<>(2 * fields.size());
		fields.forEach((field, value) -> {
			pairs.add(field);
			pairs.add(value);
		});
		return pairs;
	}

	private static List<@Nullable String> values(Map<String, String> fields, String[] words) {
		List<@Nullable String> values = new ArrayList<>(words.length - 2);
		for (int i = 2; i < words.length; i++) {
			values.add(fields.get(words[i]));
		}
		return values;
	}

	private long setFields(String key, String[] words) {
		if (words.length % 2 != 0) {
			throw new RedisErrorReply("ERR wrong number of arguments for 'hset' command");
		}
		Map<String, String> fields = fieldsToChange(key);
		long added = 0;
		for (int i = 2; i < words.length; i += 2) {
			if (fields.put(words[i], words[i + 1]) == null) {
				added++;
			}
		}
		return added;
	}

	private long deleteFields(String key, String[] words) {
		Entry entry = find(key);
		if (entry == null) {
			return 0;
		}
		Map<String, String> fields = entry.hash();
		long deleted = Arrays.stream(words).skip(2).filter((field) -> fields.remove(field) != null).count();
		if (fields.isEmpty()) {
			this.entries.remove(key);
		}
		return deleted;
	}

	private long increment(String key, String field, long delta) {
		long former = integer(fields(find(key)).getOrDefault(field, "0"), "ERR hash value is not an integer");
		long sum = former + delta;
		if (((former ^ sum) & (delta ^ sum)) < 0) {
			throw new RedisErrorReply("ERR increment or decrement would overflow");
		}
		fieldsToChange(key).put(field, Long.toString(sum));
		return sum;
	}

	private long persist(String key) {
		Entry entry = find(key);
		if (entry == null || entry.expiresAt == NEVER) {
			return 0;
		}
		entry.expiresAt = NEVER;
		return 1;
	}

	private long expire(String key, long millis) {
		if (millis > Long.MAX_VALUE - this.nowMillis) {
			throw new RedisErrorReply("ERR invalid expire time in 'pexpire' command");
		}
		Entry entry = find(key);
		if (entry == null) {
			return 0;
		}
		if (millis <= 0) {
			this.entries.remove(key);
		}
		else {
			entry.expiresAt = this.nowMillis + millis;
		}
		return 1;
	}

	/**
	 * Parse an integer like Redis, which accepts only the shortest form.
	 */
	private static long integer(String text, String failure) {
		try {
			long number = Long.parseLong(text);
			if (Long.toString(number).equals(text)) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			// not an integer either
		}
		throw new RedisErrorReply(failure);
	}

	/**
	 * Value of a key, a string or a hash whose fields are in the order of their creation.
	 */
	private static final class Entry {

		private final Object value;

		private long expiresAt = NEVER;

		Entry(Object value) {
			this.value = value;
		}

		Entry copy() {
			Entry copy = new Entry((this.value instanceof String) ? this.value : new LinkedHashMap<>(hash()));
			copy.expiresAt = this.expiresAt;
			return copy;
		}

		boolean isExpired(long nowMillis) {
			return nowMillis > this.expiresAt;
		}

		long remaining(long nowMillis) {
			return (this.expiresAt == NEVER) ? -1 : this.expiresAt - nowMillis;
		}

		String string() {
			if (this.value instanceof String text) {
				return text;
			}
			throw new RedisErrorReply(RedisErrorReply.WRONG_TYPE);
		}

		@SuppressWarnings("unchecked")
		Map<String, String> hash() {
			if (this.value instanceof Map<?, ?> hash) {
				return (Map<String, String>) hash;
			}
			throw new RedisErrorReply(RedisErrorReply.WRONG_TYPE);
		}

	}

}
