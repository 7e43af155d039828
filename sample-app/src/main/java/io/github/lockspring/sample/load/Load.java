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

package io.github.lockspring.sample.load;

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

/**
 * The customers of one round: each sends its requests one after the other, all customers
 * at the same time. A request whose instance died is sent again, to another instance and
 * with the same order number, so that it buys one piece however often it is sent.
 */
public final class Load {

	private static final int MAX_ATTEMPTS = 5;

	private static final Duration PAUSE = Duration.ofMillis(300);

	private final Request request;

	private final AtomicInteger done = new AtomicInteger();

	private final AtomicInteger sold = new AtomicInteger();

	private final AtomicInteger resent = new AtomicInteger();

	private final Queue<String> errors = new ConcurrentLinkedQueue<>();

	/**
	 * Create a load.
	 * @param request what each customer does again and again
	 */
	public Load(Request request) {
		this.request = request;
	}

	/**
	 * Sends all requests and waits for their answers.
	 * @param threads the number of customers
	 * @param requests the number of requests of each
	 * @param progress receives what is done
	 */
	public LoadResult run(int threads, int requests, Progress progress) throws InterruptedException {
		long[] nanos = new long[threads * requests];
		long start = System.nanoTime();
		inParallel(threads, (thread) -> {
			for (int i = 0; i < requests; i++) {
				long elapsed = order();
				nanos[thread * requests + i] = elapsed;
				progress.done(this.done.incrementAndGet(), elapsed);
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
			if (send(order)) {
				this.sold.incrementAndGet();
			}
		}
		catch (IOException | RuntimeException ex) {
			this.errors.add(ex.toString());
		}
		return System.nanoTime() - start;
	}

	private boolean send(String order) throws IOException, InterruptedException {
		for (int attempt = 1;; attempt++) {
			try {
				return this.request.send(order);
			}
			catch (IOException ex) {
				if (attempt == MAX_ATTEMPTS) {
					throw ex;
				}
				this.resent.incrementAndGet();
				Thread.sleep(PAUSE.multipliedBy(attempt).toMillis());
			}
		}
	}

	/**
	 * What a customer does.
	 */
	@FunctionalInterface
	public interface Request {

		/**
		 * Send the request once.
		 * @param id names the request, so that it can be sent again
		 * @return whether it was granted
		 * @throws IOException if it is unknown what became of it: it is sent again
		 */
		boolean send(String id) throws IOException, InterruptedException;

	}

	/**
	 * Receives what is done, from the thread that has done it.
	 */
	@FunctionalInterface
	public interface Progress {

		/**
		 * A request was answered, or failed.
		 * @param count the number of requests done, each number once
		 * @param nanos how long it took
		 */
		void done(int count, long nanos) throws InterruptedException;

	}

	private interface Customer {

		void shop(int thread) throws InterruptedException;

	}

}
