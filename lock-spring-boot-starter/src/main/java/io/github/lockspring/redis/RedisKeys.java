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
 * Names of Redis keys: the key of the resource in braces, from which a cluster computes
 * the slot; braces in the key are escaped. Other names have a suffix after the braces,
 * and are therefore never that of a resource.
 */
final class RedisKeys {

	private RedisKeys() {
	}

	static byte[][] of(LeaseRequest request) {
		return request.hasMultipleKeys() ? request.keys().stream().map(RedisKeys::of).toArray(byte[][]::new)
				: new byte[][] { of(request.key()) };
	}

	/**
	 * Return the name of the Redis key of a resource.
	 */
	static byte[] of(String key) {
		return tag(key).getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Return the name of the Redis key of a value.
	 */
	static String ofValue(String key) {
		return tag(key) + ":value";
	}

	/**
	 * Return the name of the Redis key for the time of a failover, which is neither that
	 * of a resource nor that of a value.
	 */
	static byte[] ofMark(String key) {
		return (tag(key) + ":mark").getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Return the key of which a text is the name of the Redis key.
	 */
	static String keyOf(String name) {
		String escaped = name.substring(1, name.length() - 1);
		return escaped.equals("%") ? "" : escaped.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
	}

	/**
	 * Return whether a text is the name of a key with a value, and not an owner.
	 */
	static boolean isValue(String text) {
		return text.startsWith("{");
	}

	/**
	 * Escape a key. The empty key has a separate escape sequence, because a cluster
	 * ignores empty braces.
	 */
	private static String tag(String key) {
		if (key.isEmpty()) {
			return "{%}";
		}
		boolean plain = key.indexOf('{') < 0 && key.indexOf('}') < 0 && key.indexOf('%') < 0;
		return '{' + (plain ? key : key.replace("%", "%25").replace("{", "%7B").replace("}", "%7D")) + '}';
	}

}
