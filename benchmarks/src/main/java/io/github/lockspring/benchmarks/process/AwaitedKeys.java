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
package io.github.lockspring.benchmarks.process;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.github.lockspring.benchmarks.contestant.Contestant;

/**
 * The keys of {@link HeldLeases} of another process, each waited for by a thread, which
 * releases it as soon as it has it.
 */
final class AwaitedKeys {

	private final Contestant contestant;

	private final List<Future<?>> waiting = new ArrayList<>();

	AwaitedKeys(Contestant contestant) {
		this.contestant = contestant;
	}

	String await(int number) {
		ExecutorService executor = Executors.newFixedThreadPool(number);
		for (int i = 0; i < number; i++) {
			String key = HeldLeases.key(i);
			this.waiting.add(executor.submit(() -> {
				this.contestant.acquire(key).release();
				return key;
			}));
		}
		executor.shutdown();
		return "waiting";
	}

	/**
	 * How many threads wait no longer.
	 */
	long served() {
		return this.waiting.stream().filter(Future::isDone).count();
	}

	String awaitAllServed() throws InterruptedException {
		for (Future<?> future : this.waiting) {
			try {
				future.get();
			}
			catch (ExecutionException ex) {
				throw new IllegalStateException("A thread failed", ex.getCause());
			}
		}
		this.waiting.clear();
		return "served";
	}

}
