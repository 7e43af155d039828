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

import io.github.lockspring.spi.LeaseRequest;

/**
 * Names of Redis keys: the resource's key between braces, which is the whole of what a
 * cluster computes the slot from; braces in the key are escaped. Behind them, the name of
 * a value ends in a suffix.
 */
final class RedisKeys {

	private RedisKeys() {
	}

	static byte[][] of(LeaseRequest request) {
		return request.hasMultipleKeys() ? request.keys().stream().map(RedisKeys::of).toArray(byte[][]::new)
				: new byte[][] { of(request.key()) };
	}

	/**
	 * The name of the one key with all that belongs to a resource.
	 */
	static byte[] of(String key) {
		return tag(key).getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * The name of the one key with all that belongs to a value.
	 */
	static String ofValue(String key) {
		return tag(key) + ":value";
	}

	/**
	 * Return whether a text is the name of a key with a value, and not an owner.
	 */
	static boolean isValue(String text) {
		return text.startsWith("{");
	}

	private static String tag(String key) {
		return '{' + escape(key) + '}';
	}

	/**
	 * An empty tag would be no tag: the empty key is written as a separate escape
	 * sequence.
	 */
	private static String escape(String key) {
		if (key.isEmpty()) {
			return "%";
		}
		boolean plain = key.indexOf('{') < 0 && key.indexOf('}') < 0 && key.indexOf('%') < 0;
		return plain ? key : key.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
	}

}
