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

package io.github.lockspring.local;

import java.time.Instant;

import io.github.lockspring.spi.LeaseRequest;

/**
 * Lease in the {@link LocalStore}.
 *
 * @param owner the text of the owner, which is a placeholder after a release with a delay
 * @param notifier notified of the loss
 * @param request the request that was granted, for the keys that are still held
 * @param end the time at which it expires unless it is renewed
 * @param recallable whether the holder is asked to release it
 */
record LocalLease(String owner, LocalNotifier notifier, LeaseRequest request, Instant end, boolean recallable) {

	LocalLease(String owner, LocalNotifier notifier, LeaseRequest request, Instant end) {
		this(owner, notifier, request, end, request.terms().recallable());
	}

	LocalLease until(Instant end) {
		return new LocalLease(this.owner, this.notifier, this.request, end, this.recallable);
	}

	LocalLease notRecallable() {
		return new LocalLease(this.owner, this.notifier, this.request, this.end, false);
	}

	void recall() {
		this.notifier.listener().onRecall(this.request);
	}

	void notifyOfLoss() {
		if (this.owner.equals(this.request.ownerText())) {
			this.notifier.listener().onLost(this.request);
		}
	}

}
