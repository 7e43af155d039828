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

package io.github.lockspring.simulator.machine;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Future reply, for which a thread of a node waits, or on which its work depends.
 *
 * @param <T> the type of the reply
 */
public final class ReplyFuture<T> extends CompletableFuture<T> {

	private final Node node;

	/**
	 * Create a future.
	 * @param node where the reply is to arrive
	 */
	public ReplyFuture(Node node) {
		this.node = node;
	}

	/**
	 * Complete the future as an event. What depends on it runs in a thread of the node.
	 * @param reply the reply
	 * @param failure why there is none, {@code null} if there is one
	 */
	public void arrive(@Nullable T reply, @Nullable Throwable failure) {
		if (getNumberOfDependents() == 0) {
			complete(reply, failure);
		}
		else if (!this.node.isDead()) {
			this.node.executor().execute(() -> complete(reply, failure));
		}
	}

	@SuppressWarnings("NullAway") // a reply may be null if its type says so
	private void complete(@Nullable T reply, @Nullable Throwable failure) {
		if (failure != null) {
			completeExceptionally(failure);
		}
		else {
			complete(reply);
		}
		Monitors.notifyAll(this.node.scheduler(), this);
	}

}
