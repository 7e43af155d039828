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

/**
 * Channel on which the servers notify this process of grants and of changes of values.
 */
interface RedisChannel {

	/**
	 * Return the name, which no other process uses.
	 */
	String name();

	/**
	 * Handle a message. Does not block.
	 */
	void message(String text);

	/**
	 * Handle the restoration of the subscription: messages may have been lost before.
	 */
	void listening();

	/**
	 * Handle a failover to another server, to which all calls are sent from now on.
	 */
	void failedOver();

}
