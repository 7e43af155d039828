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

package io.github.lockspring.torture;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.github.lockspring.server.Direction;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Lets faults happen to connections between workers and the store.
 */
final class NetworkFaults {

	private static final int SLOW_BYTES_PER_SECOND = 2000;

	private final List<WorkerProcess> workers;

	private final FaultLog log;

	NetworkFaults(List<WorkerProcess> workers, FaultLog log) {
		this.workers = workers;
		this.log = log;
	}

	/**
	 * Let a fault happen to one worker or all, and end it.
	 */
	void inflict(Step step) throws InterruptedException {
		switch (step.fault()) {
			case CONNECTIONS_CUT -> cut(step, FaultProxy::cut);
			case CONNECTIONS_CLOSED -> cut(step, FaultProxy::disconnect);
			case REQUESTS_SWALLOWED -> lasts(FaultKind.PARTITIONED, step, (proxy) -> proxy.hole(Direction.UP));
			case REPLIES_SWALLOWED -> lasts(FaultKind.PARTITIONED, step, (proxy) -> proxy.hole(Direction.DOWN));
			case ALL_SWALLOWED -> lasts(FaultKind.PARTITIONED, step, (proxy) -> proxy.hole(Direction.BOTH));
			case CONNECTIONS_REFUSED -> lasts(FaultKind.PARTITIONED, step, (proxy) -> {
				proxy.refuse();
				proxy.cut();
			});
			case DELAYED -> lasts(FaultKind.DELAYED, step,
					(proxy) -> proxy.delay(Direction.BOTH, Duration.ofMillis(step.duration() / 8)));
			case SLOW -> lasts(FaultKind.DELAYED, step, (proxy) -> proxy.slow(Direction.BOTH, SLOW_BYTES_PER_SECOND));
			case REPLY_DROPPED -> dropReply(step);
			default -> throw new IllegalArgumentException(step.toString());
		}
	}

	private boolean isOfAll(Step step) {
		return step.worker() >= this.workers.size();
	}

	private List<FaultProxy> proxies(Step step) {
		return this.workers.stream()
			.filter((worker) -> isOfAll(step) || worker == this.workers.get(step.worker()))
			.flatMap((worker) -> worker.proxies().stream())
			.toList();
	}

	private String target(Step step) {
		return isOfAll(step) ? FaultLog.ALL : this.workers.get(step.worker()).name();
	}

	private void cut(Step step, Consumer<FaultProxy> fault) {
		this.log.begin(FaultKind.REPLY_LOST, target(step));
		proxies(step).forEach(fault);
	}

	private void lasts(FaultKind kind, Step step, Consumer<FaultProxy> begin) throws InterruptedException {
		long fault = this.log.begin(kind, target(step));
		try {
			proxies(step).forEach(begin);
			Thread.sleep(step.duration());
		}
		finally {
			proxies(step).forEach(FaultProxy::heal);
			this.log.end(fault);
		}
	}

	private void dropReply(Step step) throws InterruptedException {
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(step.duration());
		List<Future<String>> replies = proxies(step).stream().map(FaultProxy::dropReply).toList();
		try {
			for (Future<String> reply : replies) {
				reply.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
				this.log.begin(FaultKind.REPLY_LOST, target(step));
			}
		}
		catch (TimeoutException | ExecutionException ex) {
			// nothing was requested
		}
		finally {
			proxies(step).forEach(FaultProxy::heal);
		}
	}

}
