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

package io.github.lockspring.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * Threads that begin together.
 */
final class Crowd {

	private Crowd() {
	}

	/**
	 * Runs work in several threads and waits for its end.
	 * @param threads how many
	 * @param work what each of them does; it gets the number of its thread
	 * @throws Exception if one of them failed
	 */
	static void run(int threads, IntConsumer work) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		CountDownLatch start = new CountDownLatch(threads);
		try {
			List<Future<?>> results = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int number = i;
				results.add(executor.submit(() -> {
					start.countDown();
					start.await();
					work.accept(number);
					return null;
				}));
			}
			for (Future<?> result : results) {
				result.get(180, TimeUnit.SECONDS);
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

}
