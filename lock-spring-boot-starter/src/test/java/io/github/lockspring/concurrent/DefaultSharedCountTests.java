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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;

import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link DefaultSharedCount} on a store that hangs. The rest is in
 * {@link SharedCountContract}.
 */
class DefaultSharedCountTests {

	private final LocalLockBackend localBackend = new LocalLockBackend(new LocalStore());

	private final ValueBackend values = mock(ValueBackend.class,
			AdditionalAnswers.delegatesTo(this.localBackend.values().orElseThrow()));

	@Test
	void listenerIsRemovedWhileTheStoreHangsForAnother() throws InterruptedException {
		LockBackend backend = mock(LockBackend.class, AdditionalAnswers.delegatesTo(this.localBackend));
		willReturn(Optional.of(this.values)).given(backend).values();
		try (LockProcess process = new LockProcess(backend)) {
			SharedCount count = process.client.sharedCount("workers");
			SharedCountListener former = new Listener();
			count.addListener(former);
			CountDownLatch arrived = new CountDownLatch(1);
			CountDownLatch end = new CountDownLatch(1);
			willAnswer((invocation) -> {
				arrived.countDown();
				end.await(1, TimeUnit.MINUTES);
				return Map.<String, Value>of();
			}).given(this.values).read(any(Collection.class), eq(false), any(Duration.class));
			TestThread<Boolean> adding = TestThread.start(() -> {
				count.addListener(new Listener());
				return true;
			});
			assertThat(arrived.await(1, TimeUnit.MINUTES)).isTrue();
			count.removeListener(former);
			assertThat(end.getCount()).isOne();
			assertThat(adding.result).isNotDone();
			end.countDown();
			assertThat(adding.get()).isTrue();
		}
	}

	/**
	 * Listener with the same hash code as others.
	 */
	private static final class Listener implements SharedCountListener {

		@Override
		public void countHasChanged(int newCount) {
		}

		@Override
		public boolean equals(Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

}
