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

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.actuate.LockMetrics;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.spi.TimeSource;

/**
 * Acquiring and releasing a free key on a store that does nothing, without meters, with
 * meters, and with observations that are converted to meters.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(5)
public class MetricsBenchmark {

	private static final LockOptions OPTIONS = LockOptions.defaults();

	/**
	 * What is recorded.
	 */
	@Param({ "nothing", "meters", "observations" })
	public String recorded = "nothing";

	private final LockEngine engine = new LockEngine(new NoOpBackend(), EngineSettings.defaults(), EngineListener.NONE,
			TimeSource.SYSTEM);

	private final LockEngines engines = LockEngines.of(this.engine);

	private final LockTemplate template = LockUtils.template(this.engines, "lock:", OPTIONS).named("order");

	@Setup
	public void record() {
		MeterRegistry meters = new SimpleMeterRegistry();
		if (!this.recorded.equals("nothing")) {
			new LockMetrics(meters, this.recorded.equals("observations") ? observations(meters) : null, null)
				.observe(this.engines);
		}
	}

	private static ObservationRegistry observations(MeterRegistry meters) {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
		return registry;
	}

	@TearDown
	public void close() {
		this.engine.close();
	}

	@Benchmark
	public void template() {
		LockHandle handle = this.template.acquire("42", OPTIONS);
		handle.close();
	}

}
