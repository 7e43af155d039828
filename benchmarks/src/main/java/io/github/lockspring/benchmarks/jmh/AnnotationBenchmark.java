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

package io.github.lockspring.benchmarks.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * What an annotated call costs beside the store: a call of a Spring bean whose method is
 * locked, on stores that do nothing, and the same call through a proxy that does nothing.
 * Beside it the annotations of Spring itself, on a transaction manager and a cache that
 * do nothing. The identifiers change from call to call.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class AnnotationBenchmark {

	private static final int IDS = 1024;

	private final List<AnnotationConfigApplicationContext> applications = new ArrayList<>();

	private final Services.Plain plain = start(Applications.WithPlainProxy.class, Services.Plain.class);

	private final Services.Ours ours = start(Applications.WithOurs.class, Services.Ours.class);

	private final Services.ForLock4j lock4j = start(Applications.WithLock4j.class, Services.ForLock4j.class);

	private final Services.ForShedLock shedLock = start(Applications.WithShedLock.class, Services.ForShedLock.class);

	private final Services.ForTransactions transactions = start(Applications.WithTransactions.class,
			Services.ForTransactions.class);

	private final Services.ForCache cache = start(Applications.WithCache.class, Services.ForCache.class);

	private final String[] texts = new String[IDS];

	private final Services.Order[] orders = new Services.Order[IDS];

	private int next;

	public AnnotationBenchmark() {
		for (int i = 0; i < IDS; i++) {
			this.texts[i] = String.valueOf(id(i));
			this.orders[i] = new Services.Order(id(i));
		}
	}

	private <T> T start(Class<?> application, Class<T> service) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(application);
		this.applications.add(context);
		return context.getBean(service);
	}

	private static long id(int index) {
		return 1_000_000L + index;
	}

	private int next() {
		return this.next++ & IDS - 1;
	}

	@TearDown
	public void stop() {
		this.applications.forEach(AnnotationConfigApplicationContext::close);
	}

	@Benchmark
	public Object plainProxy() {
		return this.plain.pay(id(next()));
	}

	@Benchmark
	public Object oursByNumber() {
		return this.ours.pay(id(next()));
	}

	@Benchmark
	public Object oursByText() {
		return this.ours.payByText(this.texts[next()]);
	}

	@Benchmark
	public Object oursByProperty() {
		return this.ours.payByProperty(this.orders[next()]);
	}

	@Benchmark
	public Object oursByConcatenation() {
		return this.ours.payByConcatenation(id(next()));
	}

	@Benchmark
	public Object oursByExpression() {
		return this.ours.payByExpression(this.orders[next()]);
	}

	@Benchmark
	public Object oursWithFuture() {
		return this.ours.payLater(id(next())).join();
	}

	@Benchmark
	public @Nullable Object oursWithMono() {
		return this.ours.payReactively(id(next())).block();
	}

	@Benchmark
	public Object plainProxyWithFuture() {
		return this.plain.payLater(id(next())).join();
	}

	@Benchmark
	public @Nullable Object plainProxyWithMono() {
		return this.plain.payReactively(id(next())).block();
	}

	@Benchmark
	public Object transactional() {
		return this.transactions.pay(id(next()));
	}

	@Benchmark
	public Object cacheable() {
		return this.cache.pay(id(next()));
	}

	@Benchmark
	public Object cacheableByConcatenation() {
		return this.cache.payByConcatenation(id(next()));
	}

	@Benchmark
	public Object cacheableByExpression() {
		return this.cache.payByExpression(this.orders[next()]);
	}

	@Benchmark
	public Object lock4j() {
		return this.lock4j.pay(id(next()));
	}

	@Benchmark
	public Object shedLock() {
		return this.shedLock.pay(id(next()));
	}

}
