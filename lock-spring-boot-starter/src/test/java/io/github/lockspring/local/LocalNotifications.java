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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

/**
 * The notifications of a backend in the order of their coming.
 */
final class LocalNotifications implements BackendListener {

	final List<String> heard = new ArrayList<>();

	final List<Duration> validities = new ArrayList<>();

	final List<Duration> waits = new ArrayList<>();

	Predicate<LeaseRequest> takesOver = (request) -> true;

	@Override
	public void onRetryHint(LeaseRequest request) {
		this.heard.add("try again");
	}

	@Override
	public boolean onGranted(LeaseRequest request, Grant grant, long attemptId, Duration waited) {
		this.heard.add("granted " + request);
		this.validities.add(grant.validity());
		this.waits.add(waited);
		return this.takesOver.test(request);
	}

	@Override
	public void onLost(LeaseRequest lease) {
		this.heard.add("lost");
	}

	@Override
	public void onSuspended() {
		this.heard.add("suspended");
	}

	@Override
	public void onResumed() {
		this.heard.add("resumed");
	}

}
