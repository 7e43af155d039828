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

import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import io.github.lockspring.server.ServerProcess;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Faults that can happen to any server.
 */
final class ServerFaults {

	/**
	 * Greatest difference of the wall clock of a store, in seconds: tokens grow unless it
	 * is set back by more than ten.
	 */
	private static final long GREATEST_SKEW = 4;

	private static final long TOLERANCE_MILLIS = 100;

	private final ClockShim clocks;

	private final String clock;

	private final List<String> prefix;

	private long skew;

	/**
	 * Create the faults of one store.
	 * @param clocks the clocks
	 * @param clock the name of the clock of its servers
	 */
	ServerFaults(ClockShim clocks, String clock) {
		this.clocks = clocks;
		this.clock = clock;
		this.prefix = clocks.prefix(clock);
	}

	/**
	 * Return the faults of another store.
	 * @param clock the name of the clock of its servers
	 */
	ServerFaults ofAnother(String clock) {
		return new ServerFaults(this.clocks, clock);
	}

	/**
	 * Let servers that start from now on have the clock of this store.
	 */
	void prepareStart() {
		ServerProcess.setPrefix(this.prefix);
	}

	/**
	 * Return a fault that lasts.
	 * @param kind what it is for the processes that lock
	 * @param begin lets it begin
	 * @param end lets it end
	 */
	static Inflictor lasting(FaultKind kind, Runnable begin, Runnable end) {
		return (step, log) -> {
			long fault = log.begin(kind, FaultLog.ALL);
			try {
				begin.run();
				Thread.sleep(step.duration());
			}
			finally {
				end.run();
				log.end(fault);
			}
			return true;
		};
	}

	/**
	 * Return what can happen to the process of a server that keeps its data.
	 */
	static Map<TortureFault, Inflictor> ofProcess(Runnable pause, Runnable resume, Runnable kill, Runnable restart) {
		return Map.of(TortureFault.STORE_STOPPED, lasting(FaultKind.DELAYED, pause, resume), TortureFault.STORE_KILLED,
				lasting(FaultKind.STOPPED, kill, restart));
	}

	/**
	 * Return what can happen to the wall clock of a server, if it can jump.
	 * @param server reads this clock, in milliseconds
	 */
	Map<TortureFault, Inflictor> ofClock(LongSupplier server) {
		return this.clocks.isAvailable()
				? Map.of(TortureFault.STORE_CLOCK_BACK, (step, log) -> jumpBack(step, log, server),
						TortureFault.STORE_CLOCK_FORWARD, (step, log) -> jumpForward(step, log, server))
				: Map.of();
	}

	/**
	 * Let the wall clock jump back, which is for leases as if it stood still.
	 */
	private boolean jumpBack(Step step, FaultLog log, LongSupplier server) throws InterruptedException {
		long seconds = Math.min(1 + step.duration() / 1000, this.skew + GREATEST_SKEW);
		if (seconds == 0) {
			return false;
		}
		long fault = log.begin(FaultKind.CLOCK_STOOD, FaultLog.ALL);
		boolean jumped = jump(-seconds, server);
		Thread.sleep(1000 * seconds);
		log.end(fault);
		return jumped;
	}

	/**
	 * Let the wall clock jump forward, so that leases end early.
	 */
	private boolean jumpForward(Step step, FaultLog log, LongSupplier server) {
		long seconds = Math.min(1 + step.duration() / 1000, GREATEST_SKEW - this.skew);
		if (seconds == 0) {
			return false;
		}
		log.begin(FaultKind.CLOCK_JUMPED_FORWARD, FaultLog.ALL);
		return jump(seconds, server);
	}

	/**
	 * Let the wall clock jump.
	 * @return whether it is where it should be
	 */
	private boolean jump(long seconds, LongSupplier server) {
		this.skew += seconds;
		this.clocks.set(this.clock, this.skew);
		long before = System.currentTimeMillis();
		long time = server.getAsLong() - 1000 * this.skew;
		return before - TOLERANCE_MILLIS <= time && time <= System.currentTimeMillis() + TOLERANCE_MILLIS;
	}

}
