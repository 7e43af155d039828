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

import java.util.concurrent.atomic.AtomicInteger;

import io.github.lockspring.spi.LeaseRequest;

/**
 * A lease of several keys, each of which is a hold of its own. It is given back with the
 * last of them, and never passed on nor turned into a lease of readers.
 */
final class SharedLease extends Lease {

	private final AtomicInteger holds;

	SharedLease(LeaseRequest request) {
		super(request);
		this.holds = new AtomicInteger(request.keys().size());
	}

	@Override
	boolean leave() {
		return this.holds.decrementAndGet() == 0;
	}

	@Override
	boolean canStepDown() {
		return false;
	}

	@Override
	boolean canPassOn(AcquireTerms terms, EngineSettings settings, TimeSource time) {
		return false;
	}

}
