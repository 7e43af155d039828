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

package io.github.lockspring.sample.page;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import io.github.lockspring.sample.instance.InstanceClient;
import io.github.lockspring.sample.load.StockClient;

/**
 * The runs, one at a time. Thread-safe.
 */
@Component
@Profile(PageLauncher.PROFILE)
class Runs implements DisposableBean {

	private static final Log logger = LogFactory.getLog(Runs.class);

	private static final int MAX_ENDED = 20;

	private static final long PERIOD_MILLIS = 250;

	private final PageSettings settings;

	private final Cluster cluster;

	private final TimelineCollector timelines;

	private final History history;

	private final EventStream events;

	private final List<Scenario> scenarios;

	private final AtomicInteger lastId = new AtomicInteger();

	private final ScheduledExecutorService timer = new ScheduledThreadPoolExecutor(2);

	/**
	 * Guarded by this object's monitor.
	 */
	private final List<Run> ended = new ArrayList<>();

	/**
	 * Guarded by this object's monitor.
	 */
	private @Nullable Run current;

	/**
	 * The thread of the current run. Guarded by this object's monitor.
	 */
	private @Nullable Thread thread;

	Runs(PageSettings settings, Cluster cluster, TimelineCollector timelines, History history, EventStream events,
			List<Scenario> scenarios) {
		this.settings = settings;
		this.cluster = cluster;
		this.timelines = timelines;
		this.history = history;
		this.events = events;
		this.scenarios = scenarios;
	}

	/**
	 * Start a run.
	 * @throws RefusedException if it is beyond the limits, or another is under way
	 */
	synchronized Run start(RunRequest request) {
		Limits.of(this.settings.instances()).require(request);
		Scenario scenario = scenario(request);
		if (this.current != null) {
			throw new RefusedException(Refusal.RUN_UNDER_WAY);
		}
		this.cluster.requireServing((int) request.instances());
		Run run = Run.start(this.lastId.incrementAndGet(), request, scenario);
		this.current = run;
		Thread thread = new Thread(() -> run(run, scenario), "run-" + run.id());
		this.thread = thread;
		thread.start();
		this.events.stateChanged();
		return run;
	}

	private Scenario scenario(RunRequest request) {
		Scenario scenario = this.scenarios.stream()
			.filter((candidate) -> candidate.id().equals(request.scenario()))
			.findFirst()
			.orElseThrow(() -> new RefusedException(Refusal.UNKNOWN_SCENARIO,
					Map.of("scenario", String.valueOf(request.scenario()))));
		if (scenario.strategies().stream().noneMatch((strategy) -> strategy.id().equals(request.strategy()))) {
			throw new RefusedException(Refusal.UNKNOWN_STRATEGY,
					Map.of("scenario", scenario.id(), "strategy", String.valueOf(request.strategy())));
		}
		return scenario;
	}

	/**
	 * Cancel the current run.
	 * @return whether there was one
	 */
	synchronized boolean cancel() {
		if (this.thread == null) {
			return false;
		}
		this.thread.interrupt();
		return true;
	}

	synchronized @Nullable Run current() {
		return this.current;
	}

	synchronized List<Run> ended() {
		return List.copyOf(this.ended);
	}

	private void run(Run run, Scenario scenario) {
		InstanceClient instances = new InstanceClient(this.cluster.addresses(run.instances()));
		Meter meter = new Meter(run.id(), run.total());
		this.history.begin(scenario.key(run));
		ScheduledFuture<?> readings = this.timer.scheduleWithFixedDelay(
				() -> show(run, scenario, instances, meter::read), PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
		int seconds = Limits.of(this.settings.instances()).seconds();
		AtomicBoolean overdue = new AtomicBoolean();
		ScheduledFuture<?> limit = this.timer.schedule(() -> {
			overdue.set(true);
			cancel();
		}, seconds, TimeUnit.SECONDS);
		Run end;
		try {
			Scenario.Findings findings = scenario.run(run, instances, meter);
			this.timelines.collect();
			SectionAnalysis sections = SectionAnalysis.of(this.history.read().sections(), scenario.permits());
			end = run.finished(RunResult.of(findings.load(), findings.figures(), sections));
		}
		catch (InterruptedException ex) {
			end = overdue.get() ? run.overdue() : run.cancelled();
		}
		catch (Exception ex) {
			logger.error("The run failed", ex);
			end = run.failed(String.valueOf(ex.getMessage()));
		}
		finally {
			readings.cancel(false);
			limit.cancel(false);
		}
		show(run, scenario, instances, meter::readLast);
		end(end);
		tidyUp(run, scenario, instances);
	}

	private void show(Run run, Scenario scenario, InstanceClient instances,
			Function<StockClient.@Nullable Stock, Meter.@Nullable Progress> reading) {
		StockClient.Stock stock = null;
		try {
			stock = scenario.level(run, instances);
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("The stock is unknown", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return;
		}
		Meter.Progress progress = reading.apply(stock);
		if (progress != null) {
			this.events.progress(progress);
		}
	}

	private void end(Run run) {
		synchronized (this) {
			this.current = null;
			this.thread = null;
			this.ended.add(run);
			if (this.ended.size() > MAX_ENDED) {
				this.ended.remove(0);
			}
		}
		this.events.stateChanged();
	}

	private static void tidyUp(Run run, Scenario scenario, InstanceClient instances) {
		try {
			scenario.tidyUp(run, instances);
		}
		catch (IOException | RuntimeException ex) {
			logger.debug("Something is left of run " + run.id(), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void destroy() {
		cancel();
		this.timer.shutdownNow();
	}

}
