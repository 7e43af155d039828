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

package io.github.lockspring.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Utilities for answers of the servers.
 */
final class Answers {

	private Answers() {
	}

	/**
	 * Return an answer that is complete when all answers are.
	 */
	static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
		return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
			.thenApply((nothing) -> futures.stream().map(CompletableFuture::join).toList());
	}

	/**
	 * Complete an answer with a value, or with the failure that a code stands for.
	 */
	static <T> void complete(CompletableFuture<T> answer, int code, @Nullable String path, @Nullable T value) {
		if (code == Code.OK.intValue()) {
			answer.complete(value);
		}
		else {
			answer.completeExceptionally(KeeperException.create(Code.get(code), path));
		}
	}

	/**
	 * Return another answer in place of an expected failure.
	 */
	static <T> CompletableFuture<T> recover(CompletableFuture<T> answer, Predicate<Throwable> expected,
			Supplier<CompletableFuture<T>> other) {
		return answer.exceptionallyCompose(
				(failure) -> expected.test(cause(failure)) ? other.get() : CompletableFuture.failedFuture(failure));
	}

	static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	static boolean isExpired(Throwable failure) {
		return cause(failure) instanceof KeeperException.SessionExpiredException;
	}

	/**
	 * Return whether a request failed because the connection or the session was lost.
	 */
	static boolean isDisconnected(Throwable failure) {
		return cause(failure) instanceof KeeperException.ConnectionLossException || isExpired(failure);
	}

	/**
	 * Return whether a node no longer existed, because it was deleted or its session has
	 * ended.
	 */
	static boolean isGone(Throwable failure) {
		return cause(failure) instanceof KeeperException.NoNodeException || isExpired(failure);
	}

}
