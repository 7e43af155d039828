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

package io.github.lockspring.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

/**
 * Listener that records the notifications of a backend. Grants are accepted unless they
 * are to be rejected.
 */
final class RecordingListener implements BackendListener {

	private final Map<LeaseRequest, List<String>> notifications = new ConcurrentHashMap<>();

	private final Map<LeaseRequest, List<String>> recalls = new ConcurrentHashMap<>();

	private final Map<LeaseRequest, Grant> grants = new ConcurrentHashMap<>();

	private final Map<LeaseRequest, Long> attemptIds = new ConcurrentHashMap<>();

	private final Map<String, Integer> changes = new ConcurrentHashMap<>();

	private final Set<LeaseRequest> rejected = ConcurrentHashMap.newKeySet();

	private volatile boolean suspended;

	/**
	 * Reject subsequent grants of a request, because it is no longer waiting.
	 * @param request the request
	 */
	void reject(LeaseRequest request) {
		this.rejected.add(request);
	}

	/**
	 * Return the notifications of a queued request.
	 * @param request the request
	 * @return {@code tryAgain} and {@code granted}, once for each notification
	 */
	List<String> of(LeaseRequest request) {
		return this.notifications.getOrDefault(request, List.of());
	}

	@Nullable Grant grantOf(LeaseRequest request) {
		return this.grants.get(request);
	}

	/**
	 * Return the attempt id of the last grant that was notified.
	 * @param request the request
	 * @return the attempt id, zero if no grant was notified
	 */
	long attemptIdOf(LeaseRequest request) {
		return this.attemptIds.getOrDefault(request, 0L);
	}

	/**
	 * Return whether the connection to the store is suspended, according to the last
	 * notification.
	 */
	boolean isSuspended() {
		return this.suspended;
	}

	@Override
	public void onRetryHint(LeaseRequest request) {
		add(request, "tryAgain");
	}

	@Override
	public boolean onGranted(LeaseRequest request, Grant grant, long attemptId, Duration waited) {
		this.attemptIds.put(request, attemptId);
		this.grants.put(request, grant);
		add(request, "granted");
		return !this.rejected.contains(request);
	}

	/**
	 * Return the keys of the recalls of a lease.
	 * @param lease the granted request
	 * @return the key, once for each recall
	 */
	List<String> recallsOf(LeaseRequest lease) {
		return this.recalls.getOrDefault(lease, List.of());
	}

	@Override
	public void onRecall(LeaseRequest lease) {
		this.recalls.computeIfAbsent(lease, (first) -> new CopyOnWriteArrayList<>()).add(lease.key());
	}

	@Override
	public void onLost(LeaseRequest lease) {
		// A backend may report losses, or leave it to the next renewal
	}

	@Override
	public void onSuspended() {
		this.suspended = true;
	}

	@Override
	public void onResumed() {
		this.suspended = false;
	}

	/**
	 * How often a value was notified to have changed.
	 * @param key the key of the value
	 * @return the number of notifications
	 */
	int changesOf(String key) {
		return this.changes.getOrDefault(key, 0);
	}

	@Override
	public void onValueChanged(String key) {
		this.changes.merge(key, 1, Integer::sum);
	}

	private void add(LeaseRequest request, String word) {
		this.notifications.computeIfAbsent(request, (first) -> new CopyOnWriteArrayList<>()).add(word);
	}

}
