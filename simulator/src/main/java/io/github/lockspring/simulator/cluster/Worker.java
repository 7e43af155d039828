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
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockException;
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
	public Worker(Workplace workplace, String process, String name, SplittableRandom random, ProcessLocks locks) {
		this.workplace = workplace;
		this.process = process;
		this.name = name;
		this.random = random;
		this.works = settings().works().stream().sorted().flatMap((kind) -> {
			Runnable work = kind.create(this, locks);
			return Stream.generate(() -> work).limit(kind.weight());
		}).toList();
	}

	ClusterSettings settings() {
		return this.workplace.settings();
	}

	boolean isEnding() {
		return this.workplace.isEnding();
	}

	String name() {
		return this.name;
	}

	SplittableRandom random() {
		return this.random;
	}

	long nextOperation() {
		return this.workplace.nextOperation();
	}

	/**
	 * Return a random time.
	 */
	Duration nextDuration(Duration longest) {
		return Duration.ofNanos(this.random.nextLong(longest.toNanos()));
	}

	/**
	 * Return a random key.
	 */
	String nextKey() {
		return "key-" + this.random.nextInt(settings().keys());
	}

	@Override
	public void run() {
		while (!isEnding()) {
			sleep(settings().think());
			if (!isEnding()) {
				this.works.get(this.random.nextInt(this.works.size())).run();
			}
		}
	}

	/**
	 * Sleep for a random time. An interrupt ends it.
	 */
	void sleep(Duration longest) {
		sleep(1 + this.random.nextLong(longest.toNanos()));
	}

	/**
	 * Sleep. An interrupt ends it.
	 */
	void sleep(long nanos) {
		Replaced.parkNanos(this, nanos);
		Thread.interrupted();
	}

	/**
	 * Make a call that may fail, and continue without an interrupt.
	 * @return the result, or {@code null} if the call failed
	 */
	<T> @Nullable T attempt(Callable<@Nullable T> call) {
		try {
			return call.call();
		}
		catch (LockException | ClientError | InterruptedException | BrokenBarrierException ex) {
			return null;
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			Thread.interrupted();
		}
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
