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

package io.github.lockspring.concurrent;

/**
 * Listener for the leadership of this process in a {@link LeaderElection}. Its methods
 * are called alternately, the first one being {@link #onGranted(long)}, and never
 * concurrently: each change is delivered once and in order, the last one always. Every
 * listener has a thread of its own, so that one that blocks or throws an exception
 * affects neither the election nor other listeners.
 */
public interface LeadershipListener {

	/**
	 * Called when this process has become the leader, or when the listener was added
	 * while it was. The leadership may have ended again by the time of the call.
	 * @param fencingToken the fencing token of the term, or 0 if the backend does not
	 * support fencing tokens
	 */
	default void onGranted(long fencingToken) {
	}

	/**
	 * Called when this process is no longer the leader. If the leadership was
	 * relinquished, as by {@link LeaderElection#stop()}, no other process is elected
	 * before this method has returned, unless it takes longer than a second. If the lease
	 * was lost, another process may be elected soon.
	 */
	default void onRevoked() {
	}

}
