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

package io.github.lockspring.simulator.machine;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Monitors of simulated threads, in place of those of the JVM, for which a thread would
 * wait without letting others run; and what else threads wait for.
 */
final class Monitors {

	private static final Map<Object, Monitor> MONITORS = new IdentityHashMap<>();

	private static final Map<Object, List<SimulatedThread>> WAITING = new IdentityHashMap<>();

	private Monitors() {
	}

	static void enter(SimulatedThread thread, Object object) {
		thread.point();
		Monitor monitor = MONITORS.get(object);
		while (monitor != null && monitor.owner != thread) {
			awaitChange(thread, object, Scheduler.NEVER);
			monitor = MONITORS.get(object);
		}
		if (monitor == null) {
			MONITORS.put(object, new Monitor(thread));
		}
		else {
			monitor.depth++;
		}
	}

	static void exit(SimulatedThread thread, Object object) {
		Monitor monitor = MONITORS.get(object);
		if (monitor != null && monitor.owner == thread && --monitor.depth == 0) {
			MONITORS.remove(object);
			notifyAll(thread.node().scheduler(), object);
		}
	}

	/**
	 * Wait until {@link #notifyAll} is called for an object, or shorter.
	 */
	static void awaitChange(SimulatedThread thread, Object object, long nanos) {
		WAITING.computeIfAbsent(object, (any) -> new ArrayList<>()).add(thread);
		try {
			thread.block(nanos);
		}
		finally {
			@Nullable List<SimulatedThread> waiting = WAITING.get(object);
			if (waiting != null && waiting.remove(thread) && waiting.isEmpty()) {
				WAITING.remove(object);
			}
		}
	}

	static void notifyAll(Scheduler scheduler, Object object) {
		List<SimulatedThread> waiting = WAITING.remove(object);
		if (waiting != null) {
			waiting.forEach(SimulatedThread::wakeUp);
		}
	}

	static boolean isAnyOwnedBy(SimulatedThread thread) {
		return MONITORS.values().stream().anyMatch((monitor) -> monitor.owner == thread);
	}

	/**
	 * Forget the monitors of threads that were killed.
	 */
	static void clear() {
		MONITORS.clear();
		WAITING.clear();
	}

	/**
	 * Monitor that a thread has entered.
	 */
	private static final class Monitor {

		private final SimulatedThread owner;

		private int depth = 1;

		Monitor(SimulatedThread owner) {
			this.owner = owner;
		}

	}

}
