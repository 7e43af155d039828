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

package io.github.lockspring.sample.homemade;

import io.lettuce.core.api.sync.RedisCommands;

/**
 * No lock at all: the stock is written if it is what it was when it was read, else again
 * from the start. Exact, but of all that have read the same number one writes, and the
 * others have worked in vain.
 */
public final class OptimisticStock {

	private final RedisCommands<String, String> redis;

	private final String key;

	private final Pause pause;

	/**
	 * Create a stock.
	 * @param redis a connection that no other thread uses
	 * @param key the key of the number of pieces
	 * @param pause the time to decide
	 */
	public OptimisticStock(RedisCommands<String, String> redis, String key, Pause pause) {
		this.redis = redis;
		this.key = key;
		this.pause = pause;
	}

	/**
	 * Sell one piece.
	 * @return whether there was one
	 */
	public boolean sell() throws Exception {
		while (true) {
			this.redis.watch(this.key);
			int pieces = Integer.parseInt(this.redis.get(this.key));
			if (pieces == 0) {
				this.redis.unwatch();
				return false;
			}
			this.pause.here();
			this.redis.multi();
			this.redis.set(this.key, String.valueOf(pieces - 1));
			if (!this.redis.exec().wasDiscarded()) {
				return true;
			}
		}
	}

}
