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

/**
 * Command that scripts may call.
 */
enum RedisCommand {

	DEL(-2, true, false), EXISTS(-2, false, false), GET(2, false, false), HDEL(-3, true, false), HGET(3, false, false),
	HGETALL(2, false, false), HINCRBY(4, true, true), HKEYS(2, false, false), HLEN(2, false, false),
	HMGET(-3, false, false), HSET(-4, true, true), PERSIST(2, true, false), PEXPIRE(3, true, false),
	PTTL(2, false, false), PUBLISH(3, false, false), SET(3, true, true), TIME(1, false, false);

	private final int arity;

	private final boolean write;

	private final boolean growing;

	/**
	 * Create a command.
	 * @param arity the number of words, or the negative minimum
	 * @param write whether it changes keys
	 * @param growing whether it may need memory
	 */
	RedisCommand(int arity, boolean write, boolean growing) {
		this.arity = arity;
		this.write = write;
		this.growing = growing;
	}

	boolean accepts(int words) {
		return (this.arity < 0) ? words >= -this.arity : words == this.arity;
	}

	boolean isWrite() {
		return this.write;
	}

	boolean mayNeedMemory() {
		return this.growing;
	}

}
