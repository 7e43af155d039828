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

import java.util.Map;

/**
 * What a visitor of the page may ask for, so that none can overload the machine.
 *
 * @param threads the most customers at once
 * @param requests the most requests of each
 * @param instances the number of instances
 * @param total the most requests of all customers together
 * @param seconds the longest time of a run
 */
record Limits(int threads, int requests, int instances, int total, int seconds) {

	static Limits of(int instances) {
		return new Limits(200, 500, instances, 20_000, 180);
	}

	/**
	 * Require that a run remains within the limits, and that its numbers are whole.
	 * @throws RefusedException if it does not
	 */
	void require(RunRequest request) {
		require(Refusal.THREADS, request.threads(), this.threads);
		require(Refusal.REQUESTS, request.requests(), this.requests);
		require(Refusal.INSTANCES, request.instances(), this.instances);
		require(Refusal.TOTAL, request.total(), this.total);
	}

	private static void require(Refusal refusal, double value, int most) {
		boolean whole = value == Math.rint(value);
		if (!whole || value < 1 || value > most) {
			throw new RefusedException(refusal,
					Map.of("most", most, "value", whole ? (Object) (long) value : (Object) value));
		}
	}

}
