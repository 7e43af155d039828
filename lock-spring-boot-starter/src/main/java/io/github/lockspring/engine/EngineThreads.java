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

package io.github.lockspring.engine;

import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;

/**
 * Threads of one engine, separated by purpose, so that slow or blocked work of one kind
 * does not affect the others.
 *
 * @param renewals renews leases, a few calls at a time
 * @param releases retries failed releases, one call at a time
 * @param polls polls the waiting requests, one call at a time
 * @param steps runs the steps of asynchronous acquisitions, which call the store
 * @param calls makes all other asynchronous calls to the store
 * @param reactions reacts to losses on behalf of holders
 * @param callbacks notifies holders of losses
 * @param events notifies the application of losses
 */
record EngineThreads(Workers renewals, Workers releases, Workers polls, Workers steps, Workers calls, Workers reactions,
		Workers callbacks, Workers events) {

	private static final int LIMIT = 64;

	private static final int RENEWALS = 4;

	static EngineThreads of(String backend) {
		String prefix = "lock-" + backend + '-';
		return new EngineThreads(Workers.ofPlatform(prefix + "renewal-", RENEWALS), Workers.of(prefix + "release-", 1),
				Workers.of(prefix + "poll-", 1), Workers.of(prefix, LIMIT), Workers.of(prefix + "call-", LIMIT),
				Workers.of(prefix + "reaction-", LIMIT), Workers.of(prefix + "callback-", LIMIT),
				Workers.of(prefix + "event-", LIMIT));
	}

	/**
	 * Create engine threads that use one executor for everything.
	 */
	static EngineThreads of(ExecutorService executor) {
		Workers workers = Workers.of(executor, executor::shutdown);
		return new EngineThreads(workers, workers, workers, workers, workers, workers, workers, workers);
	}

	void start() {
		all().forEach(Workers::start);
	}

	void stop() {
		all().forEach(Workers::stop);
	}

	private Stream<Workers> all() {
		return Stream
			.of(this.renewals, this.releases, this.polls, this.steps, this.calls, this.reactions, this.callbacks,
					this.events)
			.distinct();
	}

}
