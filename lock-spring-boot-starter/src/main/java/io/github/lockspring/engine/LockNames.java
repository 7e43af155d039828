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

package io.github.lockspring.engine;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Names of the locks of an application, which are known by the annotations and templates
 * that use them. A store key is {@code prefix:name:key}, or {@code prefix:name} for a
 * lock without a key, and this finds its name. There are few names and many keys, so that
 * only names are used as tags of meters.
 * <p>
 * The number of names is limited, in case an application derives names from data.
 * <p>
 * Thread-safe.
 */
public final class LockNames {

	/**
	 * Name of all keys that have none.
	 */
	public static final String NONE = "none";

	/**
	 * Name of all keys without a known name, once the maximum number of names is reached.
	 */
	public static final String OTHER = "other";

	/**
	 * Maximum number of names.
	 */
	public static final int MAX_NAMES = 1000;

	private static final char SEPARATOR = ':';

	private final CopyOnWriteArrayList<String> prefixes = new CopyOnWriteArrayList<>();

	private final ConcurrentMap<String, String> names = new ConcurrentHashMap<>();

	private final CopyOnWriteArrayList<Consumer<String>> listeners = new CopyOnWriteArrayList<>();

	private volatile boolean full;

	/**
	 * Register a name. Has no effect if it is registered, or if the prefix contains a
	 * name already: the name of {@code lock:order:item:42} is {@code order}.
	 * @param prefix what precedes the name in store keys, with a colon at its end
	 * @param name the name, without colons
	 */
	public void register(String prefix, String name) {
		String known = prefixOf(prefix);
		if (known == null) {
			this.prefixes.addIfAbsent(prefix);
			add(name);
		}
		else if (known.length() == prefix.length() && !this.names.containsKey(name)) {
			add(name);
		}
	}

	private void add(String name) {
		if (addIfPossible(name)) {
			this.listeners.forEach((listener) -> listener.accept(name));
		}
	}

	private synchronized boolean addIfPossible(String name) {
		if (this.names.containsKey(name)) {
			return false;
		}
		this.full = this.names.size() == MAX_NAMES;
		if (!this.full) {
			this.names.put(name, name);
		}
		return !this.full;
	}

	/**
	 * Call a listener for each name, now for those that are registered, and later for
	 * others. It may be called more than once for a name.
	 * @param listener the listener, called by the thread that registers the name
	 */
	public void onRegistered(Consumer<String> listener) {
		this.listeners.add(listener);
		this.names.keySet().forEach(listener);
	}

	/**
	 * Find the name of a store key.
	 * @param storeKey the store key
	 * @return the registered name, or {@link #NONE} or {@link #OTHER}
	 */
	public String nameOf(String storeKey) {
		String prefix = prefixOf(storeKey);
		String name = (prefix != null) ? this.names.get(nameAt(storeKey, prefix.length())) : null;
		if (name != null) {
			return name;
		}
		return this.full ? OTHER : NONE;
	}

	private static String nameAt(String storeKey, int start) {
		int end = storeKey.indexOf(SEPARATOR, start);
		return (end >= 0) ? storeKey.substring(start, end) : storeKey.substring(start);
	}

	private @Nullable String prefixOf(String storeKey) {
		for (String prefix : this.prefixes) {
			if (storeKey.startsWith(prefix)) {
				return prefix;
			}
		}
		return null;
	}

}
