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

package io.github.lockspring.simulator.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import io.github.lockspring.simulator.machine.Scheduler;

/**
 * Connection on which nothing is lost in between: what is sent while the link is cut
 * arrives when it is healed, even if the client has closed the connection. Where a
 * message would be lost, the connection is reset.
 */
final class ByteStream {

	private static final long RETRY_NANOS = 200_000_000;

	private final Link link;

	private final Scheduler scheduler;

	private final Connection order;

	private final Direction requests = new Direction();

	private final Direction replies = new Direction();

	private final Runnable onReset;

	private boolean reset;

	/**
	 * Create a connection.
	 * @param link the link
	 * @param onReset what happens at both ends when it is reset
	 */
	ByteStream(Link link, Runnable onReset) {
		this.link = link;
		this.scheduler = link.client().scheduler();
		this.order = new Connection(this.scheduler);
		this.onReset = onReset;
	}

	/**
	 * Send something to the server.
	 * @param arrival what happens there
	 */
	void request(Runnable arrival) {
		if (this.link.losesRequest()) {
			reset();
		}
		this.requests.send(() -> this.scheduler.after(this.order.requestDelay(this.link.delay()),
				this.link.server().node(), () -> {
					if (!this.reset) {
						this.link.server().execute(arrival);
						if (this.link.losesConnection()) {
							reset();
						}
					}
				}));
	}

	/**
	 * Send something to the client.
	 * @param arrival what happens there, and must not wait
	 */
	void reply(Runnable arrival) {
		if (this.link.losesReply()) {
			reset();
		}
		this.replies.send(() -> this.scheduler.after(this.order.replyDelay(this.link.delay()), this.link.client(),
				() -> arrive(arrival)));
	}

	private void arrive(Runnable arrival) {
		if (!this.link.client().isDead()) {
			arrival.run();
		}
	}

	/**
	 * Break the connection at both ends.
	 */
	void reset() {
		if (!this.reset) {
			this.reset = true;
			this.scheduler.after(this.order.replyDelay(this.link.delay()), this.link.client(),
					() -> arrive(this.onReset));
		}
	}

	/**
	 * Messages in one direction.
	 */
	private final class Direction {

		private final Deque<Runnable> waiting = new ArrayDeque<>();

		void send(Runnable transmission) {
			if (ByteStream.this.reset) {
				return;
			}
			if (this.waiting.isEmpty() && !ByteStream.this.link.isCut()) {
				transmission.run();
				return;
			}
			this.waiting.add(transmission);
			if (this.waiting.size() == 1) {
				retryLater();
			}
		}

		private void retryLater() {
			ByteStream.this.scheduler.after(RETRY_NANOS, null, () -> {
				if (ByteStream.this.link.isCut()) {
					retryLater();
				}
				else {
					List<Runnable> transmissions = List.copyOf(this.waiting);
					this.waiting.clear();
					transmissions.forEach(this::send);
				}
			});
		}

	}

}
