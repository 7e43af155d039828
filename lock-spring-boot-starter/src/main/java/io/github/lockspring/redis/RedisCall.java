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
import java.time.Duration;

/**
 * Call of a script, for keys that belong to one slot.
 *
 * @param script the script
 * @param keys the names of keys that it works on
 * @param args its arguments
 * @param replicas the number of replicas that must acknowledge its writes
 * @param within the time for which the server waits for them
 */
@SuppressWarnings("ArrayRecordComponent") // transports the arrays, and is never compared
record RedisCall(RedisScript script, byte[][] keys, byte[][] args, int replicas, Duration within) {

	RedisCall(RedisScript script, byte[][] keys, byte[]... args) {
		this(script, keys, args, 0, Duration.ZERO);
	}

	/**
	 * Encode a number as an argument of a script.
	 */
	static byte[] arg(long number) {
		return Long.toString(number).getBytes(StandardCharsets.ISO_8859_1);
	}

	/**
	 * Encode a text without characters outside of ISO 8859-1 as an argument of a script.
	 */
	static byte[] arg(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	/**
	 * Return the source of the script, or its digest.
	 */
	byte[] script(boolean byText) {
		return byText ? this.script.text(this.keys.length) : this.script.sha(this.keys.length);
	}

	/**
	 * Return whether this renews leases, and must not wait for other calls.
	 */
	boolean isRenewal() {
		return this.script.isRenewal();
	}

	RedisCall acknowledgedBy(int replicas, Duration within) {
		return new RedisCall(this.script, this.keys, this.args, replicas, within);
	}

}
