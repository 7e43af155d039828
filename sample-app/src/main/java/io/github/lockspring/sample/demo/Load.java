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

package io.github.lockspring.sample.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

import io.github.lockspring.sample.stock.Strategy;

/**
 * The customers of one round: each sends its requests one after the other, all customers
 * at the same time. A request whose instance died is sent again, to another instance and
 * with the same order number, so that it buys one piece however often it is sent.
 */
final class Load {

	private static final int MAX_ATTEMPTS = 5;

	private final StockClient client;

	private final Strategy strategy;

	private final long productId;

	private final AtomicInteger done = new AtomicInteger();

	private final AtomicInteger sold = new AtomicInteger();

	private final AtomicInteger resent = new AtomicInteger();

	private final Queue<String> errors = new ConcurrentLinkedQueue<>();

	Load(StockClient client, Strategy strategy, long productId) {
		this.client = client;
		this.strategy = strategy;
		this.productId = productId;
	}

	/**
	 * Sends all requests and waits for their answers.
	 * @param threads the number of customers
	 * @param requests the number of requests of each
	 * @param progress receives the number of requests done, each number once, by the
	 * thread that has done it
	 */
	LoadResult run(int threads, int requests, IntConsumer progress) throws InterruptedException {
		long[] nanos = new long[threads * requests];
		long start = System.nanoTime();
		inParallel(threads, (thread) -> {
			for (int i = 0; i < requests; i++) {
				nanos[thread * requests + i] = order();
				progress.accept(this.done.incrementAndGet());
			}
		});
		Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
		return new LoadResult(this.sold.get(), this.resent.get(), List.copyOf(this.errors), elapsed,
				new Latencies(nanos));
	}

	private void inParallel(int threads, Customer customer) throws InterruptedException {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> customers = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int thread = i;
				customers.add(executor.submit(() -> {
					customer.shop(thread);
					return null;
				}));
			}
			for (Future<?> future : customers) {
				future.get();
			}
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
		finally {
			executor.shutdownNow();
		}
	}

	private long order() throws InterruptedException {
		String order = UUID.randomUUID().toString();
		long start = System.nanoTime();
		try {
			if (deduct(order)) {
				this.sold.incrementAndGet();
			}
		}
		catch (IOException | RuntimeException ex) {
			this.errors.add(ex.toString());
		}
		return System.nanoTime() - start;
	}

	private boolean deduct(String order) throws IOException, InterruptedException {
		for (int attempt = 1;; attempt++) {
			try {
				return this.client.deduct(this.productId, this.strategy, order);
			}
			catch (IOException ex) {
				if (attempt == MAX_ATTEMPTS) {
					throw ex;
				}
				this.resent.incrementAndGet();
			}
		}
	}

	private interface Customer {

		void shop(int thread) throws InterruptedException;

	}

}
