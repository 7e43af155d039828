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

import io.github.lockspring.server.Direction;
import io.github.lockspring.server.FaultProxy;

/**
 * The distance of a server behind a proxy, which delays what the server sends: one wait
 * for each trip, which costs less than two.
 */
record ProxyDistance(FaultProxy proxy) implements Distance {

	@Override
	public void set(Duration trip) {
		this.proxy.delay(Direction.DOWN, trip);
	}

	@Override
	public long trips() {
		return this.proxy.roundTrips();
	}

}
