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

package io.github.lockspring.actuate;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.event.LockForceReleasedEvent;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link LocksEndpoint}.
 */
class LocksEndpointTests {

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	/**
	 * Passes in tests of a store that hangs, and is enough for one that does not.
	 */
	private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(2);

	private final LocalStore store = new LocalStore();

	private final LockEngine local = engine(new LocalLockBackend(this.store));

	private final List<Object> events = new CopyOnWriteArrayList<>();

	private final CountDownLatch hang = new CountDownLatch(1);

	@AfterEach
	void close() {
		this.hang.countDown();
		this.local.close();
	}

	private static LockEngine engine(LockBackend backend) {
		return new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, TimeSource.SYSTEM);
	}

	private LockBackend hanging(LockBackend backend) {
		return (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockBackend.class },
				(proxy, method, arguments) -> switch (method.getName()) {
					case "name" -> "hanging";
					case "inspect" -> {
						this.hang.await();
						yield List.of();
					}
					default -> method.invoke(backend, arguments);
				});
	}

	@Test
	void storeThatHangsIsReportedBesideTheOthers() {
		LockBackend hanging = hanging(new LocalLockBackend());
		try (LockEngine other = engine(hanging)) {
			LocksEndpoint endpoint = new LocksEndpoint(new LockEngines(other, List.of(this.local)), SHORT_TIMEOUT,
					this.events::add);
			Hold hold = this.local.acquireUninterruptibly("a", OPTIONS, this, 0);
			LocksDescriptors.Lock lock = endpoint.lock("a", null);
			assertThat(lock.backends()).containsOnlyKeys("hanging", "local");
			assertThat(lock.backends().get("hanging").error()).contains("No response within");
			assertThat(lock.backends().get("local").holders()).hasSize(1);
			hold.release();
			assertThat(endpoint.lock("a", "local").backends()).isEmpty();
			this.hang.countDown();
		}
	}

	@Test
	void holderIsReleasedAndLosesItsLockAtOnce() {
		LocksEndpoint endpoint = new LocksEndpoint(LockEngines.of(this.local), TIMEOUT, this.events::add);
		Hold hold = this.local.acquireUninterruptibly("a", OPTIONS, this, 0);
		LocksDescriptors.Release release = endpoint.release("a", null, null, null, "jane");
		assertThat(hold.isHeld()).isFalse();
		assertThat(release.backends().get("local").released()).extracting(LocksDescriptors.Holder::thisProcess)
			.containsExactly(true);
		Awaitility.await().until(() -> this.events.size() == 2);
		assertThat(this.events).filteredOn(LockForceReleasedEvent.class::isInstance)
			.extracting("storeKey", "backend", "principal", "fencingToken")
			.containsExactly(tuple("a", "local", "jane", hold.token()));
		assertThat(this.events).filteredOn(AuditApplicationEvent.class::isInstance)
			.extracting((event) -> ((AuditApplicationEvent) event).getAuditEvent().getPrincipal())
			.containsExactly("jane");
		assertThat(endpoint.release("a", null, null, null, "jane").backends()).isEmpty();
		hold.release();
	}

	@Test
	void holderInTheSameProcessLosesItsLockAtOnceOnAStoreWithoutNotifications() {
		try (LockEngine engine = engine(silent(new LocalLockBackend()))) {
			LocksEndpoint endpoint = new LocksEndpoint(LockEngines.of(engine), TIMEOUT, this.events::add);
			Hold hold = engine.acquireUninterruptibly("a", OPTIONS, this, 0);
			assertThat(endpoint.release("a", null, null, null, null).isDone()).isTrue();
			assertThat(hold.isHeld()).isFalse();
			hold.release();
		}
	}

	private LockBackend silent(LockBackend backend) {
		BackendListener none = (BackendListener) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { BackendListener.class },
				(proxy, method, arguments) -> (method.getReturnType() == boolean.class) ? false : null);
		return (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockBackend.class },
				(proxy, method, arguments) -> method.invoke(backend,
						method.getName().equals("start") ? new Object[] { none } : arguments));
	}

	@Test
	void oneOfSeveralReadersIsReleased() {
		LocksEndpoint endpoint = new LocksEndpoint(LockEngines.of(this.local), TIMEOUT, this.events::add);
		AcquireOptions shared = AcquireOptions.shared(Duration.ofSeconds(30), true);
		try (LockEngine other = engine(new LocalLockBackend(this.store))) {
			Hold own = this.local.acquireUninterruptibly("a", shared, this, 0);
			Hold others = other.acquireUninterruptibly("a", shared, this, 0);
			String owner = other.inspection().snapshot().held().get(0).leaseOwner();
			assertThat(endpoint.release("a", "local", owner, null, null).backends().get("local").released())
				.extracting(LocksDescriptors.Holder::owner)
				.containsExactly(owner);
			Awaitility.await().until(() -> !others.isHeld());
			assertThat(own.isHeld()).isTrue();
			assertThat(endpoint.release("a", null, "unknown", null, null).backends()).isEmpty();
			own.release();
			others.release();
		}
	}

	@Test
	void storeThatHangsIsReportedByARelease() {
		try (LockEngine other = engine(hanging(new LocalLockBackend()))) {
			LocksDescriptors.Release release = new LocksEndpoint(LockEngines.of(other), SHORT_TIMEOUT, this.events::add)
				.release("a", null, null, null, null);
			assertThat(release.isFailed()).isTrue();
			assertThat(release.isDone()).isFalse();
			assertThat(this.events).isEmpty();
			this.hang.countDown();
		}
	}

	@Test
	void storeThatHangsDoesNotDelayTheReleaseOnOthers() {
		Hold hold = this.local.acquireUninterruptibly("a", OPTIONS, this, 0);
		try (LockEngine other = engine(hanging(new LocalLockBackend()))) {
			LocksDescriptors.Release release = new LocksEndpoint(new LockEngines(other, List.of(this.local)),
					SHORT_TIMEOUT, this.events::add)
				.release("a", null, null, null, null);
			assertThat(release.backends().get("hanging").error()).contains("No response within");
			assertThat(release.backends().get("local").error()).isNull();
			assertThat(release.backends().get("local").released()).hasSize(1);
			this.hang.countDown();
		}
		hold.release();
	}

	@Test
	void listenerThatFailsAffectsNeitherTheAuditEventNorTheAnswer() {
		LocksEndpoint endpoint = new LocksEndpoint(LockEngines.of(this.local), TIMEOUT, (event) -> {
			this.events.add(event);
			throw new AssertionError("test");
		});
		Hold hold = this.local.acquireUninterruptibly("a", OPTIONS, this, 0);
		LocksDescriptors.Release release = endpoint.release("a", null, null, null, "jane");
		assertThat(release.backends().get("local").error()).isNull();
		Awaitility.await().until(() -> this.events.size() == 2);
		assertThat(this.events).hasExactlyElementsOfTypes(LockForceReleasedEvent.class, AuditApplicationEvent.class);
		hold.release();
	}

	@Test
	void storeThatIsDownIsReported() {
		RecordingBackend backend = new RecordingBackend(new LocalStore());
		try (LockEngine engine = engine(backend)) {
			backend.setDown(true);
			LocksDescriptors.Lock lock = new LocksEndpoint(LockEngines.of(engine), TIMEOUT, this.events::add).lock("a",
					null);
			assertThat(lock.isFound()).isFalse();
			assertThat(lock.isFailed()).isTrue();
			assertThat(lock.backends().values()).singleElement()
				.satisfies((state) -> assertThat(state.error()).contains("failed"));
		}
	}

	@Test
	void stoppedApplicationSaysSo() {
		LocksEndpoint endpoint = new LocksEndpoint(LockEngines.of(this.local), TIMEOUT, this.events::add);
		this.local.close();
		assertThat(endpoint.locks().backends().get("local").held()).isEmpty();
		assertThat(endpoint.lock("a", null).backends().get("local").error()).contains("shutting down");
	}

	@Test
	void blankKeyIsRejected() {
		LocksEndpoint endpoint = new LocksEndpoint(LockEngines.of(this.local), TIMEOUT, this.events::add);
		assertThatExceptionOfType(InvalidEndpointRequestException.class).isThrownBy(() -> endpoint.lock("", null));
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> endpoint.release(" ", null, null, null, null));
	}

	@Test
	void unknownBackendIsRejected() {
		LocksEndpoint endpoint = new LocksEndpoint(LockEngines.of(this.local), TIMEOUT, this.events::add);
		assertThatExceptionOfType(InvalidEndpointRequestException.class).isThrownBy(() -> endpoint.lock("a", "redis"))
			.withMessageContaining("'redis'");
	}

	@Test
	void holderIsReleasedByItsTokenOnly() {
		LocksEndpoint endpoint = new LocksEndpoint(LockEngines.of(this.local), TIMEOUT, this.events::add);
		Hold hold = this.local.acquireUninterruptibly("a", OPTIONS, this, 0);
		LocksDescriptors.Holder found = endpoint.lock("a", null).backends().get("local").holders().get(0);
		assertThat(endpoint.release("a", null, found.owner(), found.token() - 1, null).backends()).isEmpty();
		assertThat(hold.isHeld()).isTrue();
		assertThat(endpoint.release("a", null, found.owner(), found.token(), null).isDone()).isTrue();
		assertThat(hold.release()).isFalse();
	}

}
