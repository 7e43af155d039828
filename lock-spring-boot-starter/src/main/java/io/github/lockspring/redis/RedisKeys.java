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
import java.util.List;

import io.github.lockspring.spi.LeaseRequest;

/**
 * The names of Redis keys. What belongs to one resource has the resource's key between
 * braces, by which a cluster keeps it together; braces in the key are escaped.
 */
final class RedisKeys {

	/**
	 * How many Redis keys a resource has: its state, the details and the queue.
	 */
	static final int PER_RESOURCE = 3;

	private RedisKeys() {
	}

	static byte[][] of(LeaseRequest request) {
		return request.hasSeveralKeys() ? of(request.keys()) : of(request.key());
	}

	static byte[][] of(String key) {
		byte[][] names = new byte[PER_RESOURCE][];
		fill(names, 0, key);
		return names;
	}

	private static byte[][] of(List<String> keys) {
		byte[][] names = new byte[keys.size() * PER_RESOURCE][];
		for (int i = 0; i < keys.size(); i++) {
			fill(names, i * PER_RESOURCE, keys.get(i));
		}
		return names;
	}

	private static void fill(byte[][] names, int at, String key) {
		byte[] state = ('{' + escape(key) + '}').getBytes(StandardCharsets.UTF_8);
		names[at] = state;
		names[at + 1] = append(state, 'd');
		names[at + 2] = append(state, 'q');
	}

	private static byte[] append(byte[] state, char suffix) {
		byte[] name = new byte[state.length + 2];
		System.arraycopy(state, 0, name, 0, state.length);
		name[state.length] = ':';
		name[state.length + 1] = (byte) suffix;
		return name;
	}

	/**
	 * An empty tag would be no tag: the empty key is written as an escape of its own.
	 */
	private static String escape(String key) {
		if (key.isEmpty()) {
			return "%";
		}
		boolean plain = key.indexOf('{') < 0 && key.indexOf('}') < 0 && key.indexOf('%') < 0;
		return plain ? key : key.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
	}

}
