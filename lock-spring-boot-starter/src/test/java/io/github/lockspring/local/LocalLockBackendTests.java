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

package io.github.lockspring.local;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LocalLockBackend}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LocalLockBackendTests extends LockBackendContractTests {

	private final LocalStore store = new LocalStore();

	@Override
	protected LockBackend backend() {
		return new LocalLockBackend(this.store);
	}

	@Override
	protected void expire(LeaseRequest lease) {
		this.store.expire(lease);
	}

	@Test
	void startSaysOnceThatLocksAreKeptInThisProcess(CapturedOutput output) {
		LocalLockBackend backend = new LocalLockBackend();
		backend.start(mock(BackendListener.class));
		LeaseTerms terms = new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(1), 1);
		backend.probe(new LeaseRequest("key", terms, "local", 1), Duration.ZERO);
		assertThat(output).containsOnlyOnce("Locks are kept in the memory of this process");
	}

	@Test
	void backendsWithoutCommonStoreDoNotCompete() {
		LeaseTerms terms = new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(1), 1);
		for (long owner = 1; owner < 3; owner++) {
			assertThat(new LocalLockBackend().tryAcquire(new LeaseRequest("key", terms, "local", owner), Duration.ZERO))
				.isInstanceOf(Grant.class);
		}
	}

}
