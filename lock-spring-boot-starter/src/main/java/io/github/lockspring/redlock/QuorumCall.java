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
package io.github.lockspring.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Collects the answers of the nodes to one call, until they are decisive. Later answers
 * are ignored.
 *
 * @param <T> the type of answer
 */
final class QuorumCall<T> {

	private final List<NodeAnswer<T>> answers = new ArrayList<>();

	private final int asked;

	/**
	 * The thread that starts the call and waits for it.
	 */
	private final Thread thread = Thread.currentThread();

	/**
	 * Start a call.
	 * @param <T> the type of answer
	 * @param nodes the nodes
	 * @param call the call to one of them
	 */
	static <T> QuorumCall<T> of(List<RedlockNode> nodes, Function<RedlockNode, CompletableFuture<NodeAnswer<T>>> call) {
		QuorumCall<T> all = new QuorumCall<>(nodes.size());
		nodes.forEach((node) -> call.apply(node).thenAccept(all::arrived));
		return all;
	}

	private QuorumCall(int asked) {
		this.asked = asked;
	}

	private void arrived(NodeAnswer<T> answer) {
		synchronized (this) {
			this.answers.add(answer);
		}
		LockSupport.unpark(this.thread);
	}

	/**
	 * Wait until the call is decided, or all nodes have answered, or the deadline. An
	 * interrupt does not shorten the wait, because it would not undo the calls.
	 * @param decided whether the answers so far are decisive
	 * @param deadline the deadline, by the monotonic clock
	 * @return the answers so far
	 */
	List<NodeAnswer<T>> await(Predicate<List<NodeAnswer<T>>> decided, long deadline) {
		boolean interrupted = false;
		List<NodeAnswer<T>> answers = answers();
		long remaining = deadline - System.nanoTime();
		while (answers.size() < this.asked && remaining > 0 && !decided.test(answers)) {
			LockSupport.parkNanos(this, remaining);
			interrupted |= Thread.interrupted();
			answers = answers();
			remaining = deadline - System.nanoTime();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		return answers;
	}

	private synchronized List<NodeAnswer<T>> answers() {
		return List.copyOf(this.answers);
	}

}
