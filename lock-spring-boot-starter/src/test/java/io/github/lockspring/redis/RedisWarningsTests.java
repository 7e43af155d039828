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

package io.github.lockspring.redis;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.mockito.MockedStatic;

import io.github.lockspring.support.DaemonThreads;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockStatic;
import static org.mockito.Mockito.timeout;

/**
 * Tests for {@link RedisWarnings}.
 */
class RedisWarningsTests {

	private final RedisClientAdapter client = mock(RedisClientAdapter.class);

	private final RedisWarnings warnings = new RedisWarnings(this.client, RedisLockSettings.defaults());

	@Test
	void whenNoThreadCouldBeStartedThenTheServerIsAskedLater() {
		try (MockedStatic<DaemonThreads> threads = mockStatic(DaemonThreads.class, CALLS_REAL_METHODS)) {
			threads.when(() -> DaemonThreads.create(any(), any())).thenThrow(new IllegalStateException("no thread"));
			this.warnings.refresh();
		}
		this.warnings.refresh();
		then(this.client).should(timeout(Duration.ofMinutes(1).toMillis())).info(any());
	}

}
