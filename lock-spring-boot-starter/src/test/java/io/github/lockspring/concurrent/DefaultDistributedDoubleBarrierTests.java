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

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.ValueBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link DefaultDistributedDoubleBarrier}: what only a test can make happen
 * that delays a participant or takes the store away. The rest is in
 * {@link DoubleBarrierContract}.
 */
class DefaultDistributedDoubleBarrierTests {

	private final LocalStore store = new LocalStore();

	private final CountDownLatch waiting = new CountDownLatch(1);

	private final CountDownLatch noticing = new CountDownLatch(1);

	private final LockProcess slow = new LockProcess(unnoticing(new LocalLockBackend(this.store)));

	private final LockProcess other = new LockProcess(new LocalLockBackend(this.store));

	@AfterEach
	void close() {
		this.noticing.countDown();
		this.slow.close();
		this.other.close();
	}

	/**
	 * A backend on which a participant that waits does not notice any change.
	 */
	private LockBackend unnoticing(LockBackend backend) {
		ValueBackend values = backend.values().orElseThrow();
		ValueBackend unnoticing = (ValueBackend) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { ValueBackend.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("read") && Boolean.TRUE.equals(arguments[1])) {
						awaitNotice();
					}
					return method.invoke(values, arguments);
				});
		return withValues(backend, unnoticing);
	}

	/**
	 * The first read that waits is one for a participant that waits already.
	 */
	private void awaitNotice() {
		if (this.waiting.getCount() == 0 || !Thread.currentThread().getName().startsWith("lock-barrier-")) {
			this.waiting.countDown();
			try {
				this.noticing.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Test
	void participantThatIsCancelledWhenAllHaveEnteredLeaves() throws Exception {
		CompletableFuture<Boolean> cancelled = this.slow.client.doubleBarrier("a", 2).enterAsync(Duration.ofHours(1));
		this.waiting.await();
		DistributedDoubleBarrier second = this.other.client.doubleBarrier("a", 2);
		second.enter();
		assertThat(cancelled.cancel(true)).isTrue();
		assertThat(second.leave(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void participantLeavesAlthoughTheStoreIsAwayAndTheOthersDoNotWaitForIt() throws Exception {
		AtomicBoolean away = new AtomicBoolean();
		try (LockTemplate locks = LockTemplate.builder(unavailable(new LocalLockBackend(this.store), away))
			.operationTimeout(Duration.ofMillis(50))
			.shutdownTimeout(Duration.ZERO)
			.build()) {
			DistributedDoubleBarrier first = new LockClient(locks).doubleBarrier("a", 2);
			DistributedDoubleBarrier second = this.other.client.doubleBarrier("a", 2);
			CompletableFuture<Boolean> entered = first.enterAsync(Duration.ofMinutes(1));
			second.enter();
			assertThat(entered.get()).isTrue();
			away.set(true);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(first::leave);
			away.set(false);
			assertThatExceptionOfType(BrokenBarrierException.class)
				.isThrownBy(() -> second.leave(30, TimeUnit.SECONDS));
			entered = first.enterAsync(Duration.ofMinutes(1));
			second.enter();
			assertThat(entered.get()).isTrue();
		}
	}

	private static LockBackend unavailable(LockBackend backend, AtomicBoolean away) {
		ValueBackend values = backend.values().orElseThrow();
		ValueBackend unavailable = (ValueBackend) Proxy.newProxyInstance(ValueBackend.class.getClassLoader(),
				new Class<?>[] { ValueBackend.class }, (proxy, method, arguments) -> {
					if (away.get()) {
						throw new BackendUnavailableException("away", null);
					}
					return method.invoke(values, arguments);
				});
		return withValues(backend, unavailable);
	}

	private static LockBackend withValues(LockBackend backend, ValueBackend values) {
		return (LockBackend) Proxy.newProxyInstance(LockBackend.class.getClassLoader(),
				new Class<?>[] { LockBackend.class }, (proxy, method, arguments) -> method.getName().equals("values")
						? Optional.of(values) : method.invoke(backend, arguments));
	}

}
