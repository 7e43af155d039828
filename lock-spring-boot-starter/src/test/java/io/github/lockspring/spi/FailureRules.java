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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Rules of failures of the store and of callers.
 */
@Tag(LockBackendContractTests.EVERYWHERE)
abstract class FailureRules extends BackendRules {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	FailureRules(LockBackendContractTests contract) {
		super(contract);
	}

	@Test
	void callsReturnWithinReasonWhileOthersHoldTheKey() {
		LeaseRequest lease = this.one.acquire(this.key);
		LeaseRequest other = this.two.request(this.key);
		CompletableFuture<Void> calls = CompletableFuture.runAsync(() -> {
			this.two.tryAcquire(other);
			this.two.contend(other);
			this.two.release(other);
			this.two.inspect(this.key);
			this.one.renew(lease);
			this.two.backend().probe(this.two.request("probe"), BackendProcess.TIMEOUT);
		});
		assertThat(calls).succeedsWithin(BackendProcess.TIMEOUT.multipliedBy(6));
	}

	@Test
	void closeMayBeRepeated() {
		this.two.close();
		this.two.close();
		assertThat(this.one.acquires(this.one.request(this.key))).isTrue();
	}

	@Test
	void closeLeavesOtherBackendsUntouched() {
		LeaseRequest lease = this.one.acquire(this.key);
		this.two.close();
		assertThat(this.one.renew(lease)).containsExactly(lease);
		assertThat(this.one.release(lease)).isTrue();
	}

	@Test
	void everyCallFailsWhenTheStoreIsAway() {
		LockBackend away = this.contract.unreachableBackend();
		assumeTrue(away != null, () -> "Backend " + this.one.name() + " has no store that could be away");
		try (away) {
			away.start(new RecordingListener());
			LeaseRequest request = this.one.request(this.key);
			List<ThrowingCallable> calls = List.of(() -> away.tryAcquire(request, TIMEOUT),
					() -> away.contend(this.one.request(this.key), TIMEOUT),
					() -> away.renew(List.of(this.one.request(this.key)), TIMEOUT),
					() -> away.release(this.one.request(this.key), TIMEOUT), () -> away.inspect(this.key, TIMEOUT),
					() -> away.probe(this.one.request(this.key), TIMEOUT));
			assertThat(inThreads(calls)).allSatisfy((call) -> assertThat(call).succeedsWithin(TIMEOUT.plusMinutes(1)));
		}
	}

	/**
	 * Side by side: each waits for its timeout.
	 */
	private List<Future<?>> inThreads(List<ThrowingCallable> calls) {
		ExecutorService threads = Executors.newFixedThreadPool(calls.size());
		try {
			return calls.stream().<Future<?>>map((call) -> threads.submit(() -> assertFails(call))).toList();
		}
		finally {
			threads.shutdown();
		}
	}

	private static void assertFails(ThrowingCallable call) {
		assertThatExceptionOfType(BackendException.class).isThrownBy(call);
	}

}
