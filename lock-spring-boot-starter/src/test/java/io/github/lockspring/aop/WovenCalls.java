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

package io.github.lockspring.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import jakarta.annotation.PostConstruct;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.aspectj.AnnotationTransactionAspect;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.aop.WovenClasses.ByClass;
import io.github.lockspring.aop.WovenClasses.Derived;
import io.github.lockspring.aop.WovenClasses.Forgetful;
import io.github.lockspring.aop.WovenClasses.Generic;
import io.github.lockspring.aop.WovenClasses.OnlyTransactional;
import io.github.lockspring.aop.WovenClasses.Orders;
import io.github.lockspring.aop.WovenClasses.Specific;
import io.github.lockspring.aop.WovenClasses.Suspending;
import io.github.lockspring.aop.WovenClasses.Transactions;
import io.github.lockspring.aop.WovenClasses.WrongKey;
import io.github.lockspring.autoconfigure.LockAutoConfiguration;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests with woven classes, which {@link WovenCallsServerTests} runs in other processes.
 */
class WovenCalls {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.aop.mode=aspectj")
		.withUserConfiguration(Application.class);

	@Test
	void methodsThatNoProxyInterceptsAreLocked() {
		this.runner.run((context) -> {
			Orders orders = new Orders();
			assertThat(orders.callPrivate(1)).isEqualTo("1");
			assertThat(Orders.ofStatic(2)).isEqualTo("2");
			assertThat(orders.ofFinal(3)).isEqualTo("3");
			assertThat(orders.callItself(4)).isEqualTo("4");
			assertThat(orders.without()).isEqualTo("none");
			assertThat(backend(context).keys()).containsExactly("lock:private:1", "lock:static:2", "lock:final:3",
					"lock:public:4");
			assertThat(backend(context).released()).hasSize(4);
		});
	}

	@Test
	void beansAreNotProxied() {
		this.runner.withBean(Orders.class).run((context) -> {
			assertThat(AopUtils.isAopProxy(context.getBean(Orders.class))).isFalse();
			context.getBean(Orders.class).ofPublic(1);
			assertThat(backend(context).keys()).containsExactly("lock:public:1");
		});
	}

	@Test
	void allAnnotationsAreLocked() {
		this.runner.run((context) -> {
			Orders orders = new Orders();
			orders.ofSemaphore();
			orders.ofTwo();
			orders.ofTwoSemaphores();
			orders.ofCarrier();
			assertThat(backend(context).keys()).containsExactly("lock:semaphore", "lock:first", "lock:second",
					"lock:first", "lock:second", "lock:carrier");
		});
	}

	@Test
	void annotationOfAClassCoversItsMethods() {
		this.runner.run((context) -> {
			ByClass byClass = new ByClass();
			assertThat(byClass.ofPublic()).isEqualTo("class");
			assertThat(byClass.ofFinal()).isEqualTo("class");
			assertThat(byClass.own()).isEqualTo("own");
			assertThat(byClass.callPrivate()).isEqualTo("class");
		});
	}

	@Test
	void annotationOfAClassDoesNotCoverPrivateAndStaticMethods() {
		this.runner.run((context) -> {
			assertThat(ByClass.callUnlocked()).isEqualTo("none");
			assertThat(new ByClass()).hasToString("none");
			assertThat(backend(context).keys()).isEmpty();
		});
	}

	@Test
	void eachMethodOfAHierarchyHasItsOwnLock() {
		this.runner.run((context) -> assertThat(new Derived().run()).isEqualTo("derived base"));
	}

	@Test
	void methodsOfInterfacesAreLocked() {
		this.runner.run((context) -> {
			Generic<String> generic = new Specific();
			assertThat(generic.run("a")).isEqualTo("a");
			assertThat(generic.ofDefault()).isEqualTo("default");
			assertThat(backend(context).keys()).containsExactly("lock:specific:a", "lock:default");
		});
	}

	@Test
	void lockIsHeldUntilTheStageHasCompleted() {
		this.runner.run((context) -> {
			CompletableFuture<String> work = new CompletableFuture<>();
			CompletableFuture<String> result = new Orders().later(work);
			await().untilAsserted(() -> assertThat(backend(context).keys()).containsExactly("lock:stage"));
			assertThat(backend(context).released()).isEmpty();
			work.complete("done");
			assertThat(result.join()).isEqualTo("done");
			assertThat(backend(context).released()).containsExactly("lock:stage");
		});
	}

	@Test
	void eachSubscriptionHasItsOwnHandle() {
		this.runner.run((context) -> {
			Mono<Long> token = new Orders().token(1, null);
			Long first = token.block();
			assertThat(token.block()).isGreaterThan(first);
		});
	}

	@Test
	void callsOfInitMethodsAreLocked() {
		this.runner.withBean(Initialized.class)
			.run((context) -> assertThat(context.getBean(Initialized.class).key).isEqualTo("1"));
	}

	@Test
	void callWithoutAContextIsRejected() {
		assertThatIllegalStateException().isThrownBy(() -> Orders.ofStatic(1))
			.withMessageContainingAll("Orders.ofStatic(long)", "no application context", "lock.aop.mode");
		this.runner.run((context) -> Orders.ofStatic(1));
		assertThatIllegalStateException().isThrownBy(() -> Orders.ofStatic(1))
			.withMessageContaining("no application context");
	}

	@Test
	void callAfterAFailedStartIsRejected() {
		this.runner.withBean(WrongKey.class).run((context) -> assertThat(context).hasFailed());
		assertThatIllegalStateException().isThrownBy(() -> Orders.ofStatic(1));
	}

	@Test
	void latestContextServesUntilItIsClosed() {
		this.runner.run((first) -> {
			this.runner.run((second) -> {
				Orders.ofStatic(2);
				assertThat(backend(second).keys()).containsExactly("lock:static:2");
			});
			Orders.ofStatic(1);
			assertThat(backend(first).keys()).containsExactly("lock:static:1");
		});
	}

	@Test
	void contextThatIsClosedEarlierChangesNothing() {
		this.runner.run((first) -> this.runner.run((second) -> {
			first.close();
			Orders.ofStatic(2);
			assertThat(backend(second).keys()).containsExactly("lock:static:2");
		}));
	}

	@Test
	void wrongDeclarationIsFoundAtStartup() {
		this.runner.withBean(WrongKey.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContainingAll("WrongKey.pay(long)", "#oder"));
	}

	@Test
	void wrongDeclarationOfALazyBeanIsFoundAtStartup() {
		this.runner.withBean(WrongKey.class, WrongKey::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void wrongDeclarationOfAnObjectIsFoundAtItsCall() {
		this.runner.run((context) -> assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> new WrongKey().callPrivate(1)));
	}

	@Test
	void suspendingFunctionIsRejected() {
		this.runner.withBean(Suspending.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContainingAll("Suspending.run(Continuation)", "is a suspending function"));
	}

	@Test
	void classThatIsNotWovenIsFoundAtStartup() {
		this.runner.withBean(NotWoven.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContainingAll("NotWoven.run()", "is not woven"));
	}

	@Test
	void classThatIsNotWovenIsWarnedOf() {
		this.runner.withPropertyValues("lock.checks=warn")
			.withBean(NotWoven.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void methodThatOverridesWithoutAnnotationIsFoundAtStartup() {
		this.runner.withBean(Forgetful.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContainingAll("Forgetful.run()", "is not woven"));
	}

	@Test
	void classThatIsWovenForTransactionsOnlyIsFoundAtStartup() {
		this.runner.withBean(OnlyTransactional.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContainingAll("OnlyTransactional.run()", "is not woven"));
	}

	@Test
	void wovenClassesPassTheCheck() {
		this.runner.withBean(Orders.class)
			.withBean(ByClass.class)
			.withBean(Derived.class)
			.withBean(Specific.class)
			.withBean(Transactions.class)
			.withBean("proxy", Object.class, () -> new ProxyFactory(new Specific()).getProxy())
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void lockIsOutsideTheTransaction() {
		this.runner.run((context) -> {
			Transactor transactor = new Transactor(backend(context));
			assertThat(new Transactions().inside(() -> "done")).isEqualTo("tx done");
			assertThat(transactor.events).containsExactly("begin after [lock:tx]", "commit before []");
			assertThat(backend(context).released()).containsExactly("lock:tx");
		});
	}

	@Test
	void transactionBeginsWhenTheLockIsThereInWhateverThread() {
		this.runner.run((context) -> {
			Transactor transactor = new Transactor(backend(context));
			CompletableFuture<String> result;
			LockTemplate template = context.getBean(LockTemplate.class);
			try (LockHandle other = template.acquireAsync("tx", template.defaultOptions()).join()) {
				result = new Transactions().later(() -> Thread.currentThread().getName());
				assertThat(transactor.events).isEmpty();
			}
			assertThat(result.join()).isNotEqualTo(Thread.currentThread().getName());
			assertThat(transactor.events).hasSize(2);
		});
	}

	private static RecordingBackend backend(AssertableApplicationContext context) {
		return context.getBean(RecordingBackend.class);
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		RecordingBackend backend() {
			return new RecordingBackend(new LocalStore());
		}

	}

	static class Initialized {

		private String key = "";

		@PostConstruct
		void init() {
			this.key = new Orders().ofPublic(1);
		}

	}

	static class NotWoven {

		@DistributedLock
		void run() {
		}

	}

	/**
	 * Records what was locked and released when transactions begin and end.
	 */
	private static final class Transactor extends AbstractPlatformTransactionManager {

		private final List<String> events = new ArrayList<>();

		private final RecordingBackend backend;

		Transactor(RecordingBackend backend) {
			this.backend = backend;
			AnnotationTransactionAspect.aspectOf().setTransactionManager(this);
		}

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.events.add("begin after " + this.backend.keys());
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.events.add("commit before " + this.backend.released());
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.events.add("rollback");
		}

	}

}
