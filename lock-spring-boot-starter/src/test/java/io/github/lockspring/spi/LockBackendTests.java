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

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for what {@link LockBackend} does by default.
 */
class LockBackendTests {

	@Test
	void callsAfterOneThatTookTooLongHaveNoTimeLeft() {
		Duration timeout = Duration.ofMillis(5);
		LeaseRequest request = new LeaseRequest("probe",
				new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(30), 1), OwnerId.newInstance(), 1);
		LockBackend backend = mock(LockBackend.class);
		given(backend.probe(request, timeout)).willCallRealMethod();
		given(backend.tryAcquire(request, timeout)).willAnswer((invocation) -> {
			Thread.sleep(timeout.multipliedBy(2).toMillis());
			return new Grant(1, Duration.ofSeconds(30));
		});
		assertThat(backend.probe(request, timeout)).isGreaterThan(timeout);
		then(backend).should().renew(List.of(request), Duration.ZERO);
		then(backend).should().release(request, Duration.ZERO);
		then(backend).should().tryAcquire(any(), any());
	}

}
