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

package io.github.lockspring.spi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A group of rules of the {@linkplain LockBackendContractTests contract}: two processes
 * on one store, a key of the test's own, and what the rules have in common.
 */
abstract class BackendRules {

	final LockBackendContractTests contract;

	final String key = "orders:" + UUID.randomUUID();

	private final List<BackendProcess> others = new ArrayList<>();

	BackendProcess one;

	BackendProcess two;

	BackendRules(LockBackendContractTests contract) {
		this.contract = contract;
	}

	@BeforeEach
	void startProcesses() {
		this.one = this.contract.one();
		this.two = this.contract.two();
	}

	@AfterEach
	void stopProcesses() {
		this.others.forEach(BackendProcess::close);
	}

	BackendProcess startProcess() {
		BackendProcess process = new BackendProcess(this.contract.backend());
		this.others.add(process);
		return process;
	}

	void requires(Capability capability) {
		assumeTrue(this.one.has(capability), () -> "Backend " + this.one.name() + " has no capability " + capability);
	}

	void assertGrown(long token, long former) {
		if (this.one.has(Capability.FENCING)) {
			assertThat(token).isGreaterThan(former);
		}
	}

	void expire(LeaseRequest lease) {
		this.contract.expire(lease);
	}

	static ConditionFactory await() {
		return Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.atMost(Duration.ofMinutes(1));
	}

	/**
	 * Does something in several threads at once, of which every other one belongs to the
	 * same process.
	 * @param <T> the type of result
	 * @param threads how many threads
	 * @param action what each of them does
	 * @return the results of all threads
	 */
	<T> List<T> inParallel(int threads, Function<BackendProcess, T> action) {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Future<T>> futures = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				BackendProcess process = (i % 2 == 0) ? this.one : this.two;
				futures.add(executor.submit(() -> action.apply(process)));
			}
			return futures.stream().map(BackendRules::result).toList();
		}
		finally {
			executor.shutdownNow();
		}
	}

	private static <T> T result(Future<T> future) {
		try {
			return future.get(2, TimeUnit.MINUTES);
		}
		catch (Exception ex) {
			throw new AssertionError("A thread of the test failed", ex);
		}
	}

}
