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

package io.github.lockspring.test;

import java.lang.reflect.Method;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.annotation.DirtiesContext.ClassMode;
import org.springframework.test.context.TestContextManager;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOperations;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.autoconfigure.LockAutoConfiguration;
import io.github.lockspring.concurrent.DistributedAtomicLong;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TestLocksAutoConfiguration} and for the reset between tests.
 */
class TestLocksContextTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, TestLocksAutoConfiguration.class));

	@Test
	void whenNothingIsConfiguredThenBackendIsCalledLocal() {
		this.runner
			.run((context) -> assertThat(context.getBean(LockTemplate.class).backendNames()).containsExactly("local"));
	}

	@Test
	void locksOfTheParentContextAreControlled() {
		this.runner.run((parent) -> this.runner.withParent(parent.getSourceApplicationContext()).run((child) -> {
			try (LockHandle lock = child.getBean(LockOperations.class).acquire("order:42")) {
				assertThat(child.getBean(TestLocks.class).isHeldByThisProcess("order:42")).isTrue();
			}
		}));
	}

	@Test
	void templateThatIsDerivedHasNoEffect() {
		this.runner.withUserConfiguration(Derived.class).run((context) -> {
			try (LockHandle lock = context.getBean("reports", LockOperations.class).acquire("42")) {
				assertThat(context.getBean(TestLocks.class).isHeldByThisProcess("report:42")).isTrue();
			}
		});
	}

	@Test
	void clientOfTheConfiguredBackendIsNotUsed() {
		this.runner.withPropertyValues("lock.backend=redis").withBean(RedisConnectionFactory.class, () -> {
			throw new IllegalStateException("Not to be used");
		}, (definition) -> definition.setLazyInit(true)).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(LockBackend.class);
			assertThat(context.getBean(LockTemplate.class).backendName()).isEqualTo("redis");
		});
	}

	@Test
	void backendOfTheApplicationIsReplacedUnderItsName() {
		LocalStore real = new LocalStore();
		this.runner.withBean(LockBackend.class, () -> new LocalLockBackend("etcd", real))
			.withPropertyValues("lock.additional-backends=zookeeper")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				assertThat(template.backendNames()).containsExactly("etcd", "zookeeper");
				try (LockHandle lock = template.acquire("order:42")) {
					assertThat(context.getBean(TestLocks.class).isHeldByThisProcess("order:42")).isTrue();
					assertThat(real.isEmpty()).isTrue();
				}
			});
	}

	@Test
	void unknownBackendIsRejectedAsWithoutTheReplacement() {
		this.runner.withPropertyValues("lock.backend=zokeeper")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("'zokeeper', but no such backend exists"));
	}

	@Test
	void clockThatIsABeanStandsStill() {
		this.runner.withBean(SettableTime.class).run((context) -> {
			TestLocks locks = context.getBean(TestLocks.class);
			assertThat(locks.time()).isSameAs(context.getBean(SettableTime.class));
			LockHandle lock = context.getBean(LockOperations.class).acquire("order:42");
			Duration remaining = lock.remaining();
			locks.advance(Duration.ofSeconds(5));
			assertThat(lock.remaining()).isEqualTo(remaining.minusSeconds(5));
			locks.reset();
			assertThat(locks.time().instant()).isEqualTo(new SettableTime().instant());
		});
	}

	@Test
	void clockEndsTheTimeToLiveOfACounter() {
		this.runner.run((context) -> {
			DistributedAtomicLong counter = context.getBean(LockClient.class).atomicLong("orders");
			counter.set(7);
			counter.expire(Duration.ofMinutes(15));
			context.getBean(TestLocks.class).advance(Duration.ofMinutes(14));
			assertThat(counter.get()).isEqualTo(7);
			context.getBean(TestLocks.class).advance(Duration.ofMinutes(1));
			assertThat(counter.get()).isZero();
		});
	}

	@Test
	void locksAreResetWhenTheLastOfParallelTestsHasEnded() {
		this.runner.run((context) -> {
			TestLocks locks = context.getBean(TestLocks.class);
			locks.testStarted();
			locks.testStarted();
			LockHandle lock = context.getBean(LockOperations.class).acquire("order:42");
			locks.testFinished();
			assertThat(lock.isHeld()).isTrue();
			locks.testFinished();
			assertThat(lock.isHeld()).isFalse();
			assertThat(locks.isHeld("order:42")).isFalse();
			context.getBean(LockOperations.class).acquire("order:42").close();
		});
	}

	@Test
	void failureMessagesNameWhatIsHeld() {
		this.runner.run((context) -> {
			TestLocks locks = context.getBean(TestLocks.class);
			assertThatExceptionOfType(AssertionError.class)
				.isThrownBy(() -> TestLocksAssert.assertThat(locks).as("payment").isHeld("order:42"))
				.withMessageContaining("[payment] ")
				.withMessageContaining("Expecting the lock on 'order:42' to be held.")
				.withMessageContaining("It is free, as 'lock:order:42'. No lock is held.");
			locks.holdElsewhere("order:43");
			assertThatExceptionOfType(AssertionError.class)
				.isThrownBy(() -> TestLocksAssert.assertThat(locks).isNotHeld("order:43"))
				.withMessageContaining("Expecting the lock on 'order:43' not to be held.")
				.withMessageContaining("It is held by another process, as 'lock:order:43'.")
				.withMessageContaining("Held in the store: 'lock:order:43'.");
			assertThatExceptionOfType(AssertionError.class)
				.isThrownBy(() -> TestLocksAssert.assertThat(locks).hasWaiters("order:43", 2))
				.withMessageContaining("Expecting 2 acquisitions to wait for the lock on 'order:43', but there are 0.");
			assertThatExceptionOfType(AssertionError.class)
				.isThrownBy(() -> TestLocksAssert.assertThat(locks).isHeldByThisProcess("order:43"));
			assertThatExceptionOfType(AssertionError.class)
				.isThrownBy(() -> TestLocksAssert.assertThat(locks).isHeldElsewhere("order:42"));
		});
	}

	@Test
	void classesThatShareAContextDoNotShareLocks() throws Exception {
		ApplicationContext first = run(FirstClass.class);
		ApplicationContext second = run(SecondClass.class);
		assertThat(first).isSameAs(second);
	}

	@Test
	void contextThatIsDirtyIsClosedAfterTheReset() throws Exception {
		ApplicationContext first = run(DirtyClass.class);
		ApplicationContext second = run(DirtyClass.class);
		assertThat(first).isNotSameAs(second);
		assertThat(((ConfigurableApplicationContext) second).isActive()).isFalse();
	}

	/**
	 * Runs a test that leaves a lock held.
	 */
	private static ApplicationContext run(Class<? extends LeakyClass> type) throws Exception {
		TestContextManager manager = new TestContextManager(type);
		LeakyClass test = type.getDeclaredConstructor().newInstance();
		Method method = LeakyClass.class.getDeclaredMethod("acquire", ApplicationContext.class);
		manager.beforeTestClass();
		manager.prepareTestInstance(test);
		manager.beforeTestMethod(test, method);
		ApplicationContext context = manager.getTestContext().getApplicationContext();
		test.acquire(context);
		manager.afterTestMethod(test, method, null);
		manager.afterTestClass();
		return context;
	}

	/**
	 * The application under test, which configures nothing.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	static class Derived {

		@Bean
		LockOperations reports(LockTemplate locks) {
			return locks.named("report");
		}

	}

	@SpringBootTest(classes = Application.class, webEnvironment = WebEnvironment.NONE)
	@AutoConfigureTestLocks
	abstract static class LeakyClass {

		void acquire(ApplicationContext context) {
			assertThat(context.getBean(TestLocks.class).isHeld("order:42")).isFalse();
			assertThat(context.getBean(LockOperations.class).acquire("order:42").isHeld()).isTrue();
		}

	}

	static class FirstClass extends LeakyClass {

	}

	static class SecondClass extends LeakyClass {

	}

	@DirtiesContext(classMode = ClassMode.AFTER_EACH_TEST_METHOD)
	static class DirtyClass extends LeakyClass {

	}

}
