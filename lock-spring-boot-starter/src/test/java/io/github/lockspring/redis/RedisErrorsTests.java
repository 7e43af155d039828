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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisErrors}.
 */
class RedisErrorsTests {

	private static final String IN_SCRIPT_OF_REDIS_6 = "ERR Error running script (call to "
			+ "f_a1b6ed4c4ae2980c1513abb5aa8ab5e71acf4ef9): @user_script:238: @user_script: 238: ";

	@ParameterizedTest
	@ValueSource(strings = { "OOM command not allowed when used memory > 'maxmemory'. script: a1b6, on @user_script:3.",
			IN_SCRIPT_OF_REDIS_6 + "-OOM command not allowed when used memory > 'maxmemory'.",
			IN_SCRIPT_OF_REDIS_6 + "-READONLY You can't write against a read only replica.",
			IN_SCRIPT_OF_REDIS_6 + "The user executing the script can't run this command or subcommand",
			"ERR The user executing the script can't access at least one of the keys mentioned in the command arguments",
			"ERR ACL failure in script: User locks has no permissions to run the 'hmget' command script: a1b6, on @user_script:7.",
			"NOPERM ACL failure in script: User locks has no permissions to access the '{lock:1}' key",
			"ERR unknown command 'EVALSHA', with args beginning with: 'a1b6' ",
			"ERR unknown command `evalsha`, with args beginning with: `a1b6`, ",
			"ERR bad lua script for redis cluster, all the keys that the script uses should be passed using the KEYS array, and KEYS should not be in expression",
			"ERR eval/evalsha command keys must be in same slot",
			"NOPERM this user has no permissions to run the 'eval' command" })
	void rejectionIsKnown(String message) {
		assertThat(RedisErrors.of(message, new RuntimeException())).isInstanceOf(BackendUnavailableException.class);
	}

	@Test
	void otherErrorLeavesTheOutcomeOpen() {
		assertThat(RedisErrors.of("ERR something", new RuntimeException())).isInstanceOf(OutcomeUnknownException.class);
	}

	@Test
	void missingScriptIsNoFailure() {
		assertThat(RedisErrors.of("NOSCRIPT No matching script.", new RuntimeException())).isNull();
	}

}
