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

import io.github.lockspring.spi.LeaseRequest;

/**
 * Lease of a reader that other readers of the key in this process share, instead of
 * acquiring one of their own, for as long and as often as a lease may be handed off. All
 * of them have its fencing token, and the last one releases it.
 */
final class SharedLease extends Lease {

	SharedLease(LeaseRequest request) {
		super(request);
	}

	@Override
	boolean isShareable() {
		return true;
	}

	@Override
	int handOffLimit(EngineSettings settings) {
		return settings.handOff().limit();
	}

}
