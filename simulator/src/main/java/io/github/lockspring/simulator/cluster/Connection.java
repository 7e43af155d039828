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

package io.github.lockspring.simulator.cluster;

import io.github.lockspring.simulator.machine.Scheduler;

/**
 * Connection to a server, on which nothing overtakes what was sent before.
 */
final class Connection {

	private final Scheduler scheduler;

	private long lastRequest;

	private long lastReply;

	Connection(Scheduler scheduler) {
		this.scheduler = scheduler;
	}

	/**
	 * Return how long a request takes that could take a given time.
	 */
	long requestDelay(long nanos) {
		this.lastRequest = Math.max(this.lastRequest + 1, this.scheduler.now() + nanos);
		return this.lastRequest - this.scheduler.now();
	}

	/**
	 * Return how long a reply takes that could take a given time.
	 */
	long replyDelay(long nanos) {
		this.lastReply = Math.max(this.lastReply + 1, this.scheduler.now() + nanos);
		return this.lastReply - this.scheduler.now();
	}

}
