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

/**
 * A lease of several keys, each of which is a hold of its own. What ends is given back,
 * and the lease goes on with the other keys. It is never passed on nor turned into a
 * lease of readers.
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
	LeaseRequest leave(Hold hold) {
		return leave(List.of(hold));
	}

	@Override
	synchronized LeaseRequest leave(List<Hold> holds) {
		LeaseRequest all = this.request;
		List<String> keys = holds.stream().map(Hold::key).sorted().toList();
		@Nullable LeaseRequest rest = all.without(keys);
		if (rest == null) {
			return all;
		}
		this.request = rest;
		return all.part(keys);
	}

	@Override
	boolean canDowngrade() {
		return false;
	}

	@Override
	boolean canHandOff(AcquireOptions terms, EngineSettings settings, TimeSource time) {
		return false;
	}

}
