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

package io.github.lockspring.benchmarks;

import java.util.concurrent.locks.ReentrantLock;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What a lock costs inside one JVM: the floor below every other figure.
 */
@State(Scope.Benchmark)
public class BaselineBenchmark {

	private final ReentrantLock lock = new ReentrantLock();

	private int counter;

	@Benchmark
	public int reentrantLock() {
		this.lock.lock();
		try {
			return ++this.counter;
		}
		finally {
			this.lock.unlock();
		}
	}

}
