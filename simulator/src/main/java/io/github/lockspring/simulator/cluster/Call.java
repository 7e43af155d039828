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

import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Request to a server and its reply.
 *
 * @param <T> the type of the reply
 */
final class Call<T> {

	private final Link link;

	private final Connection connection;

	private @Nullable Consumer<Call<T>> onEnd;

	private @Nullable T reply;

	private @Nullable RuntimeException failure;

	private boolean ended;

	Call(Link link, Connection connection, Consumer<Call<T>> onEnd) {
		this.link = link;
		this.connection = connection;
		this.onEnd = onEnd;
	}

	/**
	 * Execute the request at the server, and send the reply.
	 */
	void executed(Supplier<T> action) {
		@Nullable T reply = null;
		RuntimeException failure = null;
		try {
			reply = action.get();
		}
		catch (RuntimeException ex) {
			failure = ex;
		}
		@Nullable T result = reply;
		RuntimeException thrown = failure;
		this.link.reply(this.connection, () -> end(result, thrown));
	}

	long requestDelay(long nanos) {
		return this.connection.requestDelay(nanos);
	}

	void end(@Nullable T reply, @Nullable RuntimeException failure) {
		Consumer<Call<T>> onEnd = this.onEnd;
		if (onEnd != null) {
			this.onEnd = null;
			this.ended = true;
			this.reply = reply;
			this.failure = failure;
			onEnd.accept(this);
		}
	}

	@Nullable T reply() {
		return this.reply;
	}

	@Nullable RuntimeException failure() {
		return this.failure;
	}

	boolean isEnded() {
		return this.ended;
	}

	/**
	 * Return the reply, or throw what the server threw.
	 */
	@SuppressWarnings("NullAway") // a reply may be null if its type says so
	T result() {
		if (this.failure != null) {
			throw this.failure;
		}
		return this.reply;
	}

}
