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
 * Error with which a {@link RedisModel} replies. The message is that of a server.
 */
@SuppressWarnings("serial")
public final class RedisErrorReply extends RuntimeException {

	static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";

	static final String READ_ONLY = "READONLY You can't write against a read only replica.";

	static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";

	static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";

	/**
	 * Create an error.
	 * @param message the message, which begins with a code
	 */
	public RedisErrorReply(String message) {
		super(message, null, false, false);
	}

}
