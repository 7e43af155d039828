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

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;
import org.mockito.invocation.InvocationOnMock;

import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.ValueBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link DefaultSharedCount} on a store that hangs. The rest is in
 * {@link SharedCountContract}.
 */
class DefaultSharedCountTests {

	private final LocalLockBackend localBackend = new LocalLockBackend(new LocalStore());

	private final AtomicReference<Runnable> beforeReading = new AtomicReference<>(() -> {
	});

	private final ValueBackend values = mock(ValueBackend.class, this::answer);

	private Object answer(InvocationOnMock call) throws Throwable {
		if (call.getMethod().getName().equals("read") && Boolean.FALSE.equals(call.getArgument(1))) {
			this.beforeReading.get().run();
		}
		return AdditionalAnswers.delegatesTo(this.localBackend.values().orElseThrow()).answer(call);
	}

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
			this.beforeReading.set(() -> {
				arrived.countDown();
				TestThread.call(() -> end.await(1, TimeUnit.MINUTES));
			});
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
