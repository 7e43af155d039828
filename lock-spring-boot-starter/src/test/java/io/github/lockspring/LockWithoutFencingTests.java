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
package io.github.lockspring;

import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks on a backend that has no fencing tokens.
 */
class LockWithoutFencingTests {

	private final SettableTime time = new SettableTime();

	private final LockEngine engine = new LockEngine(backend(), EngineSettings.defaults(), EngineListener.NONE,
			this.time);

	private final LockTemplate locks = new LockTemplate(this.engine, "lock:", LockOptions.defaults());

	@AfterEach
	void close() {
		this.engine.close();
	}

	private static LockBackend backend() {
		LocalLockBackend backend = new LocalLockBackend();
		return (LockBackend) Proxy.newProxyInstance(LockBackend.class.getClassLoader(),
				new Class<?>[] { LockBackend.class }, (proxy, method, args) -> switch (method.getName()) {
					case "name" -> "redlock";
					case "capabilities" -> Set.of();
					case "contend" -> withoutToken(backend.tryAcquire((io.github.lockspring.spi.LeaseRequest) args[0],
							(java.time.Duration) args[1]));
					default -> withoutToken(method.invoke(backend, args));
				});
	}

	private static Object withoutToken(Object answer) {
		return (answer instanceof Grant grant) ? new Grant(0, grant.validity()) : answer;
	}

	@Test
	void fencingTokenIsRejectedWithTheReason() {
		LockHandle lock = this.locks.acquire("42", LockOptions.defaults());
		assertRejected(lock);
		lock.close();
	}

	private static void assertRejected(LockHandle lock) {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::fencingToken)
			.withMessageContaining("'redlock' does not support fencing tokens")
			.withMessageContaining("late writes");
	}

	@Test
	void everythingElseWorks() {
		try (LockHandle lock = this.locks.acquire("42", LockOptions.defaults())) {
			lock.checkpoint();
			assertThat(lock.isHeld()).isTrue();
			assertThat(lock.remaining()).isPositive();
		}
		assertThat(this.engine.size()).isZero();
	}

	@Test
	void leaseThatIsHandedOffInTheProcessHasNoTokenEither() {
		LockHandle first = this.locks.acquire("42", LockOptions.defaults());
		CompletableFuture<?>[] others = new CompletableFuture<?>[4];
		for (int i = 0; i < others.length; i++) {
			others[i] = CompletableFuture.runAsync(() -> {
				try (LockHandle lock = this.locks.acquire("42", LockOptions.defaults())) {
					assertRejected(lock);
				}
			}, (task) -> new Thread(task).start());
		}
		Awaitility.await().until(() -> this.engine.size() > 0);
		first.close();
		Awaitility.await().until(() -> {
			this.time.advance(java.time.Duration.ofMillis(50));
			return CompletableFuture.allOf(others).isDone();
		});
		CompletableFuture.allOf(others).join();
	}

}
