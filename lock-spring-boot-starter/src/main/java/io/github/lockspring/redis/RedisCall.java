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

import java.time.Duration;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Call of a script, for keys that belong to one slot.
 *
 * @param script the script
 * @param keys the names of keys that it works on
 * @param args its arguments
 * @param replicas how many replicas are asked to confirm what it has written
 * @param within how long the server waits for them
 */
@SuppressWarnings("ArrayRecordComponent") // carries them, and is never compared
record RedisCall(RedisScript script, byte[][] keys, byte[][] args, int replicas, Duration within) {

	/**
	 * How many arguments an attempt has, with the last one, which may be missing.
	 */
	private static final int ACQUIRE_ARGS = 6;

	private static final byte[] NOTHING = { '-' };

	RedisCall(RedisScript script, byte[][] keys, byte[]... args) {
		this(script, keys, args, 0, Duration.ZERO);
	}

	/**
	 * This call with one more argument, by which all scripts that grant have their tokens
	 * lead the clock.
	 * @param lead the argument
	 * @param mark the key on which the server keeps since when they do, if it does
	 */
	RedisCall leading(byte[] lead, byte @Nullable [] mark) {
		int index = (this.script == RedisScript.ACQUIRE) ? ACQUIRE_ARGS : this.args.length;
		byte[][] longer = Arrays.copyOf(this.args, index + 1);
		Arrays.fill(longer, this.args.length, index, NOTHING);
		longer[index] = lead;
		return new RedisCall(this.script, (mark != null) ? with(mark) : this.keys, longer, this.replicas, this.within);
	}

	private byte[][] with(byte[] mark) {
		byte[][] longer = Arrays.copyOf(this.keys, this.keys.length + 1);
		longer[this.keys.length] = mark;
		return longer;
	}

	/**
	 * Whether this keeps leases, and must not wait for anything else.
	 */
	boolean isRenewal() {
		return this.script == RedisScript.RENEW;
	}

	RedisCall confirmedBy(int replicas, Duration within) {
		return new RedisCall(this.script, this.keys, this.args, replicas, within);
	}

}
