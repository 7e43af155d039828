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

import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;

/**
 * Encoding of modes and holders in the scripts.
 */
final class RedisModes {

	private RedisModes() {
	}

	/**
	 * Read an answer of the script that inspects.
	 */
	static LeaseHolder holder(String text) {
		String[] words = text.split(" ");
		LeaseMode mode = switch (words[1]) {
			case "s" -> LeaseMode.SHARED;
			case "p" -> LeaseMode.permits(Integer.parseInt(words[2]), Integer.parseInt(words[3]));
			default -> LeaseMode.EXCLUSIVE;
		};
		return new LeaseHolder(words[0], mode, Long.parseLong(words[4]), Duration.ofMillis(Long.parseLong(words[5])));
	}

}
