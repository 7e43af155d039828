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

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.event.LockLostEvent;
import io.github.lockspring.jdbc.JdbcLockBackend;
import io.github.lockspring.jdbc.JdbcLockSchema;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockTemplateBuilder} without an application context.
 */
class LockTemplateBuilderTests {

	private static final LockOptions TRY_ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final SettableTime time = new SettableTime();

	private final LocalStore store = new LocalStore(this.time);

	private final List<String> calls = new CopyOnWriteArrayList<>();

	private LockTemplateBuilder onStore() {
		return LockTemplate.builder(new LocalLockBackend(this.store)).timeSource(this.time).defaultOptions(TRY_ONCE);
	}

	@Test
	void templatesOfTwoProcessesExcludeEachOtherInTheDatabase() {
		JdbcDataSource dataSource = new JdbcDataSource();
		dataSource.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		new JdbcLockSchema(dataSource, JdbcLockSchema.DEFAULT_TABLE_NAME).initialize();
		try (LockTemplate one = LockTemplate.builder(new JdbcLockBackend(dataSource)).build();
				LockTemplate other = LockTemplate.builder(new JdbcLockBackend(dataSource)).build()) {
			try (LockHandle lock = one.acquire("42", TRY_ONCE)) {
				assertThat(lock.storeKey()).isEqualTo("lock:42");
				assertThat(other.tryAcquire("42", TRY_ONCE)).isNull();
			}
			other.acquire("42", TRY_ONCE).close();
		}
	}

	@Test
	void closeReleasesTheLocksAndClosesTheBackend() {
		LockTemplate locks = LockTemplate.builder(recording("a", null)).shutdownTimeout(Duration.ZERO).build();
		LockHandle lock = locks.acquire("42", TRY_ONCE);
		locks.close();
		assertThat(this.calls).containsExactly("start a", "close a");
		assertThat(lock.isHeld()).isFalse();
		assertThatExceptionOfType(LockShutdownException.class).isThrownBy(() -> locks.acquire("43", TRY_ONCE));
		locks.close();
		assertThat(this.calls).containsExactly("start a", "close a");
		try (LockTemplate next = onStore().build(); LockHandle again = next.acquire("42", TRY_ONCE)) {
			assertThat(again.isHeld()).isTrue();
		}
	}

	@Test
	void closeOfADerivedTemplateHasNoEffect() {
		try (LockTemplate locks = LockTemplate.builder(recording("a", null)).build()) {
			locks.named("order").close();
			locks.ownedBy(this).close();
			locks.on("a").close();
			locks.acquire("42", TRY_ONCE).close();
			assertThat(this.calls).containsExactly("start a");
		}
	}

	@Test
	void allBackendsAreOpenedAndClosed() {
		try (LockTemplate locks = LockTemplate.builder(recording("a", null))
			.additionalBackend(recording("b", null))
			.build()) {
			assertThat(locks.backendNames()).containsExactly("a", "b");
			assertThat(locks.on("b").backendName()).isEqualTo("b");
		}
		assertThat(this.calls).startsWith("start a", "start b").contains("close a", "close b");
	}

	@Test
	void ifABackendCannotBeOpenedAllAreClosed() {
		LockTemplateBuilder builder = LockTemplate.builder(recording("a", null))
			.additionalBackend(recording("b", new IllegalStateException("no store")))
			.additionalBackend(recording("c", null));
		assertThatIllegalStateException().isThrownBy(builder::build).withMessage("no store");
		assertThat(this.calls).containsExactly("start a", "start b", "close a", "close b", "close c");
	}

	@Test
	void backendsOfOneNameAreRejectedAndClosed() {
		LockTemplateBuilder builder = LockTemplate.builder(recording("a", null))
			.additionalBackend(recording("a", null));
		assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContaining("'a'");
		assertThat(this.calls).containsExactly("start a", "start a", "close a", "close a");
	}

	/**
	 * A backend on the store that records when it is opened and closed.
	 */
	private LockBackend recording(String name, RuntimeException failure) {
		LockBackend backend = new LocalLockBackend(this.store);
		return (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockBackend.class },
				(proxy, method, arguments) -> {
					switch (method.getName()) {
						case "name" -> {
							return name;
						}
						case "start", "close" -> this.calls.add(method.getName() + ' ' + name);
						default -> {
						}
					}
					if (method.getName().equals("start") && failure != null) {
						throw failure;
					}
					try {
						return method.invoke(backend, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@Test
	void keyPrefixIsPartOfTheStoreKey() {
		try (LockTemplate locks = onStore().keyPrefix("shop").build(); LockHandle lock = locks.acquire("42")) {
			assertThat(lock.storeKey()).isEqualTo("shop:42");
		}
	}

	@Test
	void applicationIsKnownToOtherProcesses() {
		try (LockTemplate locks = onStore().applicationName("billing").build();
				LockTemplate other = onStore().build();
				LockHandle lock = locks.acquire("42")) {
			assertThat(new LockClient(other).lock("42").holder().process().application()).isEqualTo("billing");
		}
	}

	@Test
	void optionsAreTheDefaults() {
		try (LockTemplate locks = onStore().waitTime(Duration.ofSeconds(1))
			.leaseTime(Duration.ofSeconds(2))
			.autoRenew(false)
			.build()) {
			LockOptions options = locks.defaultOptions();
			assertThat(options.waitTime()).isEqualTo(Duration.ofSeconds(1));
			assertThat(options.leaseTime()).isEqualTo(Duration.ofSeconds(2));
			assertThat(options.autoRenew()).isFalse();
		}
	}

	@Test
	void lossIsReportedToAllListeners() throws Exception {
		CompletableFuture<LockLostEvent> first = new CompletableFuture<>();
		CompletableFuture<LockLostEvent> second = new CompletableFuture<>();
		try (LockTemplate locks = onStore().autoRenew(false).onLost(first::complete).onLost(second::complete).build();
				LockHandle lock = locks.named("order").acquire("42")) {
			long token = lock.fencingToken();
			this.time.advance(Duration.ofSeconds(31));
			assertThat(lock.isHeld()).isFalse();
			assertThat(first.get(1, TimeUnit.MINUTES)).isEqualTo(new LockLostEvent("lock:order:42", token, "local"));
			assertThat(second.get(1, TimeUnit.MINUTES)).isEqualTo(first.join());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		}
	}

	@Test
	void numberOfKeysIsLimited() {
		try (LockTemplate locks = onStore().maxKeys(1).build(); LockHandle lock = locks.acquire("42")) {
			assertThatExceptionOfType(LockLimitException.class).isThrownBy(() -> locks.acquire("43"));
		}
	}

	@Test
	void leaseIsNotHandedOffIfThatIsDisabled() throws Exception {
		LockOptions wait = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));
		try (LockTemplate locks = onStore().handOff(0, Duration.ZERO).build()) {
			LockHandle first = locks.acquire("42");
			long token = first.fencingToken();
			CompletableFuture<LockHandle> second = locks.acquireAsync("42", wait);
			CompletableFuture<LockHandle> third = locks.acquireAsync("42", wait);
			first.close();
			LockHandle next = second.get(1, TimeUnit.MINUTES);
			assertThat(next.fencingToken()).isGreaterThan(token);
			long block = next.fencingToken();
			next.close();
			try (LockHandle last = third.get(1, TimeUnit.MINUTES)) {
				assertThat(last.fencingToken()).as("granted by the store").isGreaterThan(block + 1);
			}
		}
	}

	@Test
	void settingsOutOfRangeAreRejected() {
		LockTemplateBuilder builder = onStore();
		assertThatIllegalArgumentException().isThrownBy(() -> LockTemplate.builder(null));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.keyPrefix(" "));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.waitTime(Duration.ofMillis(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.leaseTime(Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.renewInterval(Duration.ofMillis(9)));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.operationTimeout(Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.handOff(257, Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.handOff(1, Duration.ofMillis(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.maxHoldTime(Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.maxKeys(0));
		assertThatIllegalArgumentException().isThrownBy(() -> builder.shutdownTimeout(Duration.ofMillis(-1)));
	}

	@Test
	void renewalIntervalMustBeShorterThanTheLeaseTime() {
		LockTemplateBuilder builder = LockTemplate.builder(recording("a", null))
			.renewInterval(Duration.ofSeconds(3))
			.leaseTime(Duration.ofSeconds(3));
		assertThatIllegalArgumentException().isThrownBy(builder::build)
			.withMessageContaining("'renewInterval' must be shorter than the lease time");
		assertThat(this.calls).containsExactly("close a");
	}

}
