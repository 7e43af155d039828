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

package io.github.lockspring;

import reactor.core.publisher.Mono;

/**
 * Locks under which reactive code runs. Requires Reactor.
 */
public final class ReactiveLockContext {

	private ReactiveLockContext() {
	}

	/**
	 * Return the innermost lock under which the subscriber's stream runs.
	 * @return the handle of the lock, which may have been lost; fails with
	 * {@link IllegalStateException} if the subscriber does not run in an annotated method
	 */
	public static Mono<LockHandle> current() {
		return chain().map(LockContext::lock);
	}

	/**
	 * Return the innermost lock of the given name under which the subscriber's stream
	 * runs.
	 * @param name the name, as specified by the annotation
	 * @return the handle of the lock, which may have been lost; fails with
	 * {@link IllegalStateException} if the subscriber has no such lock
	 */
	public static Mono<LockHandle> current(String name) {
		return chain().map((context) -> LockContext.require(context, name));
	}

	private static Mono<LockContext> chain() {
		return Mono.deferContextual((view) -> {
			LockContext context = view.getOrDefault(LockContext.class, null);
			return (context != null) ? Mono.just(context) : Mono.error(LockContext.none());
		});
	}

}
