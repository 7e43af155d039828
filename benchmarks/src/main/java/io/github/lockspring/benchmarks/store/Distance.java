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
package io.github.lockspring.benchmarks.store;

import java.time.Duration;

/**
 * How far away a store is, and how often the way is gone.
 */
public interface Distance {

	/**
	 * Lets each trip to the store and back take longer from now on.
	 * @param trip how much longer
	 */
	void set(Duration trip);

	/**
	 * Return the number of trips of all clients so far.
	 * @return the number; what is sent together is one trip
	 */
	long trips();

}
