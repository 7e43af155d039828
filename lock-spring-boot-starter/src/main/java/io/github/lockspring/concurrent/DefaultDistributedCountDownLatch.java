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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.springframework.util.Assert;

import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.support.Durations;

/**
 * Default implementation of {@link DistributedCountDownLatch}. The value is the count,
 * followed by bits that identify the generation: they are drawn at random whenever a
 * count is set. The last count deletes the value. A thread that waits is released when
 * there is no value, and also when the generation is another one, because the former one
 * must have been deleted then.
 */
final class DefaultDistributedCountDownLatch extends ExpirableValue implements DistributedCountDownLatch {

	private static final int GENERATION_BITS = 24;

	private static final long ONE = 1L << GENERATION_BITS;

	DefaultDistributedCountDownLatch(StoredValue value) {
		super(value, "count-down latch");
	}

	@Override
	public boolean trySetCount(long count) {
		Assert.isTrue(count >= 0 && count <= MAX_COUNT,
				() -> "'count' must be between 0 and " + MAX_COUNT + ", not " + count);
		if (count == 0) {
			return !this.value.read().exists();
		}
		long generation = ThreadLocalRandom.current().nextLong(ONE);
		return this.value.update(new ValueChange.Set(count * ONE + generation, Value.ABSENT.version())).applied();
	}

	@Override
	public long getCount() {
		return countOf(this.value.read());
	}

	private static long countOf(Value value) {
		return value.number() >> GENERATION_BITS;
	}

	@Override
	public void countDown() {
		this.value.update(new ValueChange.Add(-ONE, 0, ONE));
	}

	@Override
	public void await() throws InterruptedException {
		this.value.await(opening(), Durations.MAX_NANOS);
	}

	@Override
	public boolean await(long timeout, TimeUnit unit) throws InterruptedException {
		return this.value.await(opening(), Durations.waitNanos(timeout, unit)) != null;
	}

	@Override
	public CompletableFuture<Boolean> trySetCountAsync(long count) {
		return this.value.async(() -> trySetCount(count));
	}

	@Override
	public CompletableFuture<Long> getCountAsync() {
		return this.value.async(this::getCount);
	}

	@Override
	public CompletableFuture<Void> countDownAsync() {
		return this.value.runAsync(this::countDown);
	}

	@Override
	public CompletableFuture<Boolean> awaitAsync(Duration waitTime) {
		return this.value.awaitAsync(opening(), waitTime);
	}

	/**
	 * Return a condition for the end of the generation that is seen first.
	 */
	private static Predicate<Value> opening() {
		return StoredValue.endOf((value) -> !value.exists(), (value) -> value.number() % ONE);
	}

}
