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

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.TimeSource;

/**
 * Lease of several keys, each with a separate hold. The keys of holds that end are
 * released, and the lease continues with the other keys. It is never handed off nor
 * downgraded.
 */
final class MultiKeyLease extends Lease {

	private volatile LeaseRequest request;

	MultiKeyLease(LeaseRequest request) {
		super(request);
		this.request = request;
	}

	@Override
	LeaseRequest request() {
		return this.request;
	}

	@Override
	LeaseRequest leave(String key) {
		return leaveAll(List.of(key));
	}

	@Override
	synchronized LeaseRequest leaveAll(List<String> keys) {
		LeaseRequest all = this.request;
		List<String> sorted = keys.stream().sorted().toList();
		@Nullable LeaseRequest remaining = all.without(sorted);
		if (remaining == null) {
			return all;
		}
		this.request = remaining;
		return all.part(sorted);
	}

	@Override
	boolean canDowngrade() {
		return false;
	}

	@Override
	boolean canHandOff(AcquireOptions options, EngineSettings settings, TimeSource time) {
		return false;
	}

}
