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

package io.github.lockspring.redis;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.Deadline;

/**
 * Connections for calls of one kind. A call uses one that no other call uses, or shares
 * the one that the fewest calls use. All but the first are opened when they are needed.
 * Thread-safe.
 */
final class RedisLinks implements AutoCloseable {

	private final List<ReconnectingConnection<RedisLink>> connections;

	/**
	 * Numbers of calls in progress.
	 */
	private final AtomicIntegerArray calls;

	/**
	 * Create links that are not connected yet.
	 * @param max the maximum number of connections
	 * @param factory creates them
	 */
	RedisLinks(int max, IntFunction<ReconnectingConnection<RedisLink>> factory) {
		this.connections = IntStream.range(0, max).mapToObj(factory).toList();
		this.calls = new AtomicIntegerArray(max);
	}

	/**
	 * Begin a call.
	 * @return the index of its connection, to be {@linkplain #end ended}
	 */
	int begin() {
		int fewest = 0;
		for (int i = 0; i < this.calls.length(); i++) {
			if (this.calls.compareAndSet(i, 0, 1)) {
				return i;
			}
			fewest = (this.calls.get(i) < this.calls.get(fewest)) ? i : fewest;
		}
		this.calls.incrementAndGet(fewest);
		return fewest;
	}

	/**
	 * Return the connection of a call, waiting for it if it is being opened.
	 */
	RedisLink get(int index, long deadline) {
		ReconnectingConnection<RedisLink> connection = this.connections.get(index);
		RedisLink link = connection.current();
		return (link != null && link.isUsable(deadline)) ? link : connection.get(Deadline.remaining(deadline));
	}

	/**
	 * End a call. If its connection was lost, those that are not in use are not used
	 * again.
	 */
	void end(int index) {
		if (this.calls.decrementAndGet(index) == 0 && this.connections.size() > 1) {
			ReconnectingConnection<RedisLink> connection = this.connections.get(index);
			if (connection.isLost()) {
				leaveUnused();
			}
		}
	}

	private void leaveUnused() {
		for (int i = 0; i < this.calls.length(); i++) {
			if (this.calls.compareAndSet(i, 0, 1)) {
				this.connections.get(i).leave();
				this.calls.decrementAndGet(i);
			}
		}
	}

	/**
	 * Open the first connection if there is none.
	 */
	void renew() {
		this.connections.get(0).renew();
	}

	/**
	 * Replace suspicious connections.
	 * @param call a call that was not answered in time, or {@code null} if the server has
	 * become a replica
	 */
	void replace(@Nullable RedisCall call) {
		for (ReconnectingConnection<RedisLink> connection : this.connections) {
			RedisLink link = connection.current();
			if (link != null && !link.suspect(call)) {
				connection.replace(link);
			}
		}
	}

	/**
	 * Disconnect, with the calls in progress.
	 */
	void leave() {
		this.connections.forEach(ReconnectingConnection::leave);
	}

	@Override
	public void close() {
		this.connections.forEach(ReconnectingConnection::close);
	}

}
