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

package org.example.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockspring.LockOperations;
import io.github.lockspring.autoconfigure.LockAutoConfiguration;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;
import io.github.lockspring.spi.state.StateBackend;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DocumentStore}: what the author of a backend writes, without access to
 * anything that is not public.
 */
class DocumentStoreTests extends LockBackendContractTests {

	private final DocumentStore store = new DocumentStore();

	@Override
	protected LockBackend backend() {
		return new StateBackend("document", this.store);
	}

	@Override
	protected void expire(LeaseRequest lease) {
		backend().renew(List.of(lease.withLeaseTime(Duration.ZERO)), Duration.ofSeconds(1)); // ends
																								// now
	}

	@Test
	void applicationsThatShareTheStoreExcludeEachOther() {
		application().run((one) -> application().run((two) -> {
			AtomicInteger calls = new AtomicInteger();
			LockOperations locks = one.getBean(LockOperations.class);
			LockOperations others = two.getBean(LockOperations.class);
			locks.executeWithoutResult("order:42", (lock) -> {
				assertThat(lock.fencingToken()).isPositive();
				assertThat(others.tryAcquire("order:42", others.defaultOptions().withWaitTime(Duration.ZERO))).isNull();
				calls.incrementAndGet();
			});
			others.executeWithoutResult("order:42", (lock) -> calls.incrementAndGet());
			assertThat(calls).hasValue(2);
		}));
	}

	private ApplicationContextRunner application() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(LockBackend.class, () -> new StateBackend("document", this.store));
	}

}
