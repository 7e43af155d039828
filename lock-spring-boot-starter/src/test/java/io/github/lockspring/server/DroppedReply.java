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

package io.github.lockspring.server;

import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * A reply that is to be dropped: of the first request that matches.
 *
 * @param <R> what is known of a request
 */
final class DroppedReply<R> {

	private final Predicate<R> request;

	private final CompletableFuture<String> reply = new CompletableFuture<>();

	DroppedReply(Predicate<R> request) {
		this.request = request;
	}

	boolean isOf(R request) {
		return this.request.test(request);
	}

	CompletableFuture<String> reply() {
		return this.reply;
	}

}
