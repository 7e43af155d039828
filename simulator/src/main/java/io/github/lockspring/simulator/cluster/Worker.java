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

package io.github.lockspring.simulator.cluster;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.simulator.history.Fact;
import io.github.lockspring.simulator.history.LockFact.Written;
import io.github.lockspring.simulator.machine.Replaced;

/**
 * Thread of a process that does one thing after the other with locks and primitives.
 */
public final class Worker implements Runnable {

	private final Workplace workplace;

	private final String process;

	private final String name;

	private final SplittableRandom random;

	private final List<Runnable> works;

	/**
	 * Create a worker.
	 * @param workplace where it works
	 * @param process name of its process
	 * @param name name of its thread
	 * @param random decides what it does
	 * @param locks the locks of its process
	 */
	public Worker(Workplace workplace, String process, String name, SplittableRandom random, LockTemplate locks) {
		this.workplace = workplace;
		this.process = process;
		this.name = name;
		this.random = random;
		LockClient client = new LockClient(locks);
		Runnable lock = new LockWork(this, locks);
		this.works = List.of(lock, lock, lock, new SemaphoreWork(this, client), new CounterWork(this, client),
				new LatchWork(this, client), new ElectionWork(this, client));
	}

	Workplace workplace() {
		return this.workplace;
	}

	String name() {
		return this.name;
	}

	SplittableRandom random() {
		return this.random;
	}

	@Override
	public void run() {
		while (!this.workplace.isEnding()) {
			sleep(this.workplace.settings().think());
			if (!this.workplace.isEnding()) {
				this.works.get(this.random.nextInt(this.works.size())).run();
			}
		}
	}

	/**
	 * Sleep for a random time. An interrupt ends it.
	 */
	void sleep(Duration longest) {
		Replaced.parkNanos(this, 1 + this.random.nextLong(longest.toNanos()));
		Thread.interrupted();
	}

	void record(Fact fact) {
		this.workplace.record(this.process, this.name, fact);
	}

	<F extends @Nullable Fact> F look(Supplier<F> look) {
		return this.workplace.look(this.process, this.name, look);
	}

	void write(Written write, long delay) {
		this.workplace.write(this.process, this.name, write, delay);
	}

}
