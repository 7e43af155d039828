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
import java.util.concurrent.Future;
import java.util.function.Consumer;

import io.github.lockspring.server.Direction;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Lets faults happen to connections between workers and the store.
 */
final class NetworkFaults implements Inflictor {

	private static final int SLOW_BYTES_PER_SECOND = 2000;

	/**
	 * Longer than it takes until a worker requests something, also one that starts again.
	 */
	private static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);

	private final List<WorkerProcess> workers;

	NetworkFaults(List<WorkerProcess> workers) {
		this.workers = workers;
	}

	/**
	 * Let a fault happen to one worker or all, and end it.
	 */
	@Override
	public boolean inflict(Step step, FaultLog log) throws InterruptedException {
		return fault(step).inflict(step, log);
	}

	private Inflictor fault(Step step) {
		return switch (step.fault()) {
			case CONNECTIONS_CUT -> cutting(FaultProxy::cut);
			case CONNECTIONS_CLOSED -> cutting(FaultProxy::disconnect);
			case REQUESTS_SWALLOWED -> lasting(FaultKind.PARTITIONED, (proxy) -> proxy.hole(Direction.UP));
			case REPLIES_SWALLOWED -> lasting(FaultKind.PARTITIONED, (proxy) -> proxy.hole(Direction.DOWN));
			case ALL_SWALLOWED -> lasting(FaultKind.PARTITIONED, (proxy) -> proxy.hole(Direction.BOTH));
			case CONNECTIONS_REFUSED -> lasting(FaultKind.PARTITIONED, (proxy) -> {
				proxy.refuse();
				proxy.cut();
			});
			case DELAYED -> lasting(FaultKind.DELAYED,
					(proxy) -> proxy.delay(Direction.BOTH, Duration.ofMillis(step.duration() / 8)));
			case SLOW -> lasting(FaultKind.DELAYED, (proxy) -> proxy.slow(Direction.BOTH, SLOW_BYTES_PER_SECOND));
			case REPLY_DROPPED -> this::dropReply;
			default -> throw new IllegalArgumentException(step.toString());
		};
	}

	private boolean isOfAll(Step step) {
		return step.worker() >= this.workers.size();
	}

	private List<FaultProxy> proxies(Step step) {
		return this.workers.stream()
			.filter((worker) -> isOfAll(step) || worker == this.workers.get(step.worker()))
			.flatMap((worker) -> worker.proxies(step).stream())
			.toList();
	}

	private String target(Step step) {
		return isOfAll(step) ? FaultLog.ALL : this.workers.get(step.worker()).name();
	}

	private Inflictor cutting(Consumer<FaultProxy> cut) {
		return (step, log) -> {
			log.begin(FaultKind.REPLY_LOST, target(step));
			proxies(step).forEach(cut);
			return true;
		};
	}

	private Inflictor lasting(FaultKind kind, Consumer<FaultProxy> begin) {
		return (step, log) -> {
			long fault = log.begin(kind, target(step));
			try {
				proxies(step).forEach(begin);
				Thread.sleep(step.duration());
			}
			finally {
				proxies(step).forEach(FaultProxy::heal);
				log.end(fault);
			}
			return true;
		};
	}

	/**
	 * Wait until something is requested, whose reply is dropped. There may be further
	 * requests through other proxies.
	 */
	private boolean dropReply(Step step, FaultLog log) throws InterruptedException {
		List<Future<String>> replies = proxies(step).stream().map(FaultProxy::dropReply).toList();
		long end = System.nanoTime() + LONGEST_SILENCE.toNanos();
		try {
			while (replies.stream().noneMatch(Future::isDone) && System.nanoTime() - end < 0) {
				Thread.sleep(1);
			}
		}
		finally {
			proxies(step).forEach(FaultProxy::heal);
		}
		List<Future<String>> dropped = replies.stream().filter(Future::isDone).toList();
		dropped.forEach((reply) -> log.begin(FaultKind.REPLY_LOST, target(step)));
		return !dropped.isEmpty();
	}

}
