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

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

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

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.spi.TimeSource;

/**
 * What is left of acquiring and releasing a free key when the store does nothing: through
 * the template, through the {@link Lock}, and in the engine below both. Beside them the
 * four readings of clocks without which it is unknown whether the lease was granted in
 * time.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class CycleBenchmark {

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private static final AcquireOptions ACQUIRE_OPTIONS = LockUtils.acquireOptions(OPTIONS);

	private final String key = "order:42";

	private final LockEngine engine = new LockEngine(new NoOpBackend(), EngineSettings.defaults(), EngineListener.NONE,
			TimeSource.SYSTEM);

	private final LockTemplate template = LockUtils.template(LockEngines.of(this.engine), "lock:", OPTIONS);

	private final String storeKey = this.template.storeKey(this.key);

	private final Lock lock = new LockClient(this.template).lock(this.key);

	@TearDown
	public void close() {
		this.engine.close();
	}

	@Benchmark
	public void template() {
		LockHandle handle = this.template.acquire(this.key, OPTIONS);
		handle.close();
	}

	@Benchmark
	public void lock() {
		this.lock.lock();
		this.lock.unlock();
	}

	@Benchmark
	public boolean engine() throws InterruptedException {
		Hold hold = Objects.requireNonNull(this.engine.acquire(this.storeKey, ACQUIRE_OPTIONS, 0));
		return hold.release();
	}

	@Benchmark
	public long fourClocks() {
		return System.nanoTime() + System.currentTimeMillis() + System.nanoTime() + System.currentTimeMillis();
	}

}
