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

import java.time.Duration;
import java.time.Instant;

import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Request in the queue of the {@link LocalStore}, since its last denial.
 *
 * @param notifier notified of the grant
 * @param request the waiting request
 * @param attemptId the attempt id of the denial
 * @param denied the time of the denial
 */
record LocalContender(LocalNotifier notifier, LeaseRequest request, long attemptId, Instant denied) {

	boolean notifyOfGrant(Grant grant, Instant granted) {
		return this.notifier.listener()
			.onGranted(this.request, grant, this.attemptId, Duration.between(this.denied, granted));
	}

	void notifyToRetry() {
		this.notifier.listener().onRetryHint(this.request);
	}

}
