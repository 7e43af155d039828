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

package io.github.lockspring.sample.page;

/**
 * What a visitor asks for.
 *
 * @param scenario the id of the scenario
 * @param strategy the id of the strategy
 * @param threads the number of customers at once
 * @param requests the number of requests of each
 * @param instances the number of instances that take requests
 * @see Limits#require(RunRequest)
 */
record RunRequest(String scenario, String strategy, double threads, double requests, double instances) {

	long total() {
		return (long) (this.threads * this.requests);
	}

}
