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

package io.github.lockspring.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.PriorityOrdered;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.InvalidLockDeclarationException;
import io.github.lockspring.LockFailureHandler;
import io.github.lockspring.OnFailure;
import io.github.lockspring.aop.PackagePrivateMethod;
import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.Capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Declarations that cannot work are found when the application starts.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartupCheckTests {

	private final RecordingBackend backend = new RecordingBackend(new LocalStore());

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withBean(RecordingBackend.class, () -> this.backend);

	private final ApplicationContextRunner warned = this.runner.withPropertyValues("lock.checks=warn");

	private final ApplicationContextRunner withInterfaces = this.runner
		.withPropertyValues("spring.aop.proxy-target-class=false");

	@Test
	void analysisHasBeanAndMethodAndAttributeAndValueAndRemedy() {
		analyze(this.runner.withBean("payments", WrongTime.class), (analysis) -> {
			assertThat(analysis.getDescription()).contains("Bean 'payments'",
					"@DistributedLock on " + WrongTime.class.getName() + ".pay()", "waitTime = '-5s'");
			assertThat(analysis.getAction()).isEqualTo("Use a duration in that range.");
			assertThat(analysis.getCause()).isInstanceOf(InvalidLockDeclarationException.class);
		});
	}

	@Test
	void analysisNamesTheBeanThatIsWrongAndNotThoseThatNeedIt() {
		analyze(this.runner.withUserConfiguration(Dependents.class),
				(analysis) -> assertThat(analysis.getDescription()).startsWith("Bean 'inner': "));
	}

	@Test
	void analysisNamesTheAnnotation() {
		analyze(this.runner.withBean(WrongPermits.class), (analysis) -> assertThat(analysis.getDescription())
			.contains("@DistributedSemaphore on " + WrongPermits.class.getName() + ".enter()", "permits = '0'"));
	}

	@Test
	void backendThatDoesNotExistIsExplained() {
		analyze(this.runner.withBean(UnknownBackend.class), (analysis) -> {
			assertThat(analysis.getDescription()).startsWith("Bean '")
				.contains(UnknownBackend.class.getName() + ".pay()", "backend = 'elsewhere'", "which has recording");
			assertThat(analysis.getAction()).contains("lock.additional-backends");
		});
	}

	@Test
	void backendThatExistsIsTaken() {
		this.runner
			.withBean("elsewhere", RecordingBackend.class, () -> new RecordingBackend(new LocalStore(), "elsewhere"))
			.withPropertyValues("lock.backend=recording", "lock.additional-backends=elsewhere")
			.withBean(UnknownBackend.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void backendThatCannotRecallIsExplained() {
		this.backend.without(Capability.RECALL);
		analyze(this.runner.withBean(Retained.class), (analysis) -> {
			assertThat(analysis.getDescription()).startsWith("Bean '")
				.contains(Retained.class.getName() + ".pay()", "retain = '5s'",
						"is not supported by the lock backend 'recording'");
			assertThat(analysis.getAction()).contains("lock.names.<name>.retain", "another backend");
		});
		this.runner.withBean(Retained.class)
			.withPropertyValues("lock.names.payment.retain=0s")
			.run((context) -> assertThat(context).hasNotFailed());
		analyze(this.runner.withBean(Payments.class).withPropertyValues("lock.names.payment.retain=1s"),
				(analysis) -> assertThat(analysis.getDescription()).contains("retain = '1s'"));
	}

	@Test
	void retainedLeaseIsAcquiredAgainWithoutACall() {
		this.runner.withBean(Retained.class).run((context) -> {
			Retained payments = context.getBean(Retained.class);
			payments.pay();
			payments.pay();
			assertThat(this.backend.keys()).containsExactly("lock:payment");
		});
	}

	@Test
	void handlerThatDoesNotExistIsExplained() {
		analyze(this.runner.withBean(Handled.class), (analysis) -> {
			assertThat(analysis.getDescription()).startsWith("Bean '")
				.contains(Handled.class.getName() + ".pay()", "handler = 'later'", "is not the name of a bean");
			assertThat(analysis.getAction()).contains(LockFailureHandler.class.getName());
		});
	}

	@Test
	void handlerOfAnotherTypeIsExplained() {
		analyze(this.runner.withBean(Handled.class).withBean("later", StringBuilder.class), (analysis) -> {
			assertThat(analysis.getDescription()).contains("handler = 'later'", "is not a LockFailureHandler");
			assertThat(analysis.getAction()).contains(LockFailureHandler.class.getName());
		});
	}

	@Test
	void handlerThatExistsIsTaken() {
		this.runner.withBean(Handled.class)
			.withBean("later", LockFailureHandler.class, () -> (invocation, failure) -> null)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(classes = { NeededByBeanPostProcessor.class, NeededByFactoryPostProcessor.class })
	void beanThatWasCreatedTooEarlyIsExplained(Class<?> configuration) {
		analyze(this.runner.withUserConfiguration(configuration), (analysis) -> {
			assertThat(analysis.getDescription()).contains(Payments.class.getName() + ".pay()", "the bean 'payments'",
					"created before it could be proxied");
			assertThat(analysis.getAction()).contains("BeanPostProcessor", "static @Bean method");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { LockedAspect.class, LockedAdvice.class })
	void aspectIsExplained(Class<?> type) {
		analyze(this.runner.withUserConfiguration(ChildApplication.class).withBean("watch", type), (analysis) -> {
			assertThat(analysis.getDescription()).contains(type.getName() + ".report()",
					"the bean 'watch' is an aspect or advice");
			assertThat(analysis.getAction()).isEqualTo("Move the method to another bean.");
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void beanWithAnotherProxyAroundThatOfTheLockIsTaken(boolean proxyTargetClass) {
		this.runner.withBean(Wrapper.class, () -> new Wrapper(proxyTargetClass))
			.withBean("sender", AnnotatedSender.class)
			.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
			.run((context) -> {
				context.getBean(Sender.class).send();
				assertThat(context.getBean(Sender.class)).isInstanceOf(Advised.class);
				assertThat(this.backend.keys()).containsExactly("lock:annotated");
			});
	}

	@Test
	void beanThatWasCreatedTooEarlyIsExplainedAlsoIfItHasAnotherProxy() {
		analyze(this.runner.withBean(EarlyWrapper.class).withUserConfiguration(NeededByFactoryPostProcessor.class),
				(analysis) -> assertThat(analysis.getDescription()).contains(Payments.class.getName() + ".pay()",
						"the bean 'payments'", "created before it could be proxied"));
	}

	@Test
	void beanOfAChildContextIsLockedIfItIsProxied() {
		this.runner.run((context) -> {
			try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
				child.setParent(context.getSourceApplicationContext());
				child.register(ChildApplication.class, Payments.class);
				child.refresh();
				child.getBean(Payments.class).pay();
				assertThat(this.backend.keys()).containsExactly("lock:payment");
			}
		});
	}

	@Test
	void objectThatIsRegisteredIsExplained() {
		analyze(this.runner.withInitializer(
				(context) -> context.getBeanFactory().registerSingleton("payments", new Payments())), (analysis) -> {
					assertThat(analysis.getDescription()).contains(Payments.class.getName() + ".pay()",
							"the bean 'payments' was registered as an object");
					assertThat(analysis.getAction()).contains("@Bean method", "registerSingleton");
				});
	}

	@Test
	void postProcessorThatIsLockedBeforeThereAreProxiesIsExplained() {
		analyze(this.runner.withBean(LockedEarlyPostProcessor.class),
				(analysis) -> assertThat(analysis.getDescription())
					.contains(LockedPostProcessor.class.getName() + ".pay()", "created before it could be proxied"));
	}

	@Test
	void postProcessorThatIsProxiedIsLocked() {
		this.runner.withBean(LockedPostProcessor.class).run((context) -> {
			context.getBean(LockedPostProcessor.class).pay();
			assertThat(this.backend.keys()).hasSize(1);
		});
	}

	@Test
	void finalClassIsExplained() {
		analyze(this.runner.withBean("payments", FinalPayments.class), (analysis) -> {
			assertThat(analysis.getDescription()).contains("Bean 'payments'", FinalPayments.class.getName() + ".call()",
					"is final or sealed");
			assertThat(analysis.getAction()).contains("spring.aop.proxy-target-class");
		});
	}

	@Test
	void recordIsExplained() {
		analyze(this.runner.withBean(RecordedPayments.class, () -> new RecordedPayments("a")),
				(analysis) -> assertThat(analysis.getDescription()).contains("is final or sealed"));
	}

	@Test
	void sealedClassIsExplained() {
		analyze(this.runner.withBean(SealedPayments.class),
				(analysis) -> assertThat(analysis.getDescription()).contains("is final or sealed"));
	}

	@Test
	void finalClassIsRejectedEvenIfMistakesAreOnlyWarnedOf() {
		analyze(this.warned.withBean(FinalPayments.class),
				(analysis) -> assertThat(analysis.getDescription()).contains("is final or sealed"));
	}

	@Test
	void finalClassWithAnInterfaceIsTakenIfProxiesAreOfInterfaces() {
		this.withInterfaces.withBean("payments", FinalPayments.class).run((context) -> {
			((Callable<?>) context.getBean("payments")).call();
			assertThat(this.backend.keys()).hasSize(1);
		});
	}

	@Test
	void finalClassIsTakenIfTheProxyOfThisBeanIsOfItsInterface() {
		this.runner.withUserConfiguration(ProxiedByInterface.class).run((context) -> {
			((Callable<?>) context.getBean("payments")).call();
			assertThat(this.backend.keys()).hasSize(1);
		});
	}

	@Test
	void finalClassIsExplainedIfTheProxyOfThisBeanIsOfItsClass() {
		analyze(this.withInterfaces.withUserConfiguration(ProxiedByClass.class),
				(analysis) -> assertThat(analysis.getDescription()).contains("is final or sealed"));
	}

	@Test
	void finalClassWithoutAnInterfaceIsExplainedAlsoIfProxiesAreOfInterfaces() {
		analyze(this.withInterfaces.withBean(CloseablePayments.class),
				(analysis) -> assertThat(analysis.getDescription()).contains("is final or sealed"));
	}

	@Test
	void finalClassWithoutLocksIsTaken() {
		this.runner.withBean(Unlocked.class, () -> new Unlocked("a"))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void proxyOfAnInterfaceIsTaken() {
		this.runner
			.withBean("sender", Sender.class,
					() -> (Sender) java.lang.reflect.Proxy.newProxyInstance(Sender.class.getClassLoader(),
							new Class<?>[] { Sender.class },
							(proxy, method, arguments) -> method.getName().equals("hashCode") ? 1 : null))
			.run((context) -> {
				context.getBean(Sender.class).send();
				assertThat(this.backend.keys()).containsExactly("lock:sender");
			});
	}

	@Test
	void lambdaIsTaken() {
		this.runner.withBean("sender", Sender.class, () -> () -> {
		}).run((context) -> {
			context.getBean(Sender.class).send();
			assertThat(this.backend.keys()).containsExactly("lock:sender");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { PrivateMethod.class, FinalMethod.class, StaticMethod.class })
	void methodThatCannotBeInterceptedIsExplained(Class<?> type) {
		analyze(this.runner.withBean("payments", type), (analysis) -> {
			assertThat(analysis.getDescription()).contains("Bean 'payments'", type.getName() + ".pay()",
					"cannot be intercepted");
			assertThat(analysis.getAction()).contains("neither private, nor static, nor final");
		});
	}

	@Test
	void methodThatAnotherPackageCannotOverrideIsExplained() {
		analyze(this.runner.withBean(ForeignMethod.class),
				(analysis) -> assertThat(analysis.getDescription()).contains(PackagePrivateMethod.class.getName(),
						"package-private, in another package than " + ForeignMethod.class.getName()));
	}

	@Test
	void leaseThatIsShortForTheStoreIsWarnedOf(CapturedOutput output) {
		measured(this.runner.withBean(ShortLease.class),
				() -> assertThat(linesWith(output, "is short for")).singleElement()
					.asString()
					.contains("WARN", ShortLease.class.getName() + ".pay()", "PT1S", "lock.operation-timeout"));
	}

	@Test
	void annotationOfAClassExcludesMethodsThatAnotherPackageCannotOverride() {
		this.runner.withBean(AnnotatedSubclass.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void leaseThatIsShortForTheStoreIsWarnedOfOnceWhateverContextsFollow(CapturedOutput output) {
		this.runner.withBean(ShortLease.class).run((context) -> {
			try (GenericApplicationContext child = new GenericApplicationContext(
					context.getSourceApplicationContext())) {
				child.refresh();
				awaitMeasurements();
				assertThat(linesWith(output, "is short for")).hasSize(1);
			}
		});
	}

	@Test
	void leaseThatIsLongForTheStoreIsNotWarnedOf(CapturedOutput output) {
		measured(this.runner.withBean(Payments.class), () -> assertThat(linesWith(output, "is short for")).isEmpty());
	}

	@Test
	void storeThatIsDownIsNotMeasured(CapturedOutput output) {
		this.backend.setDown(true);
		measured(this.runner.withBean(ShortLease.class), () -> assertThat(linesWith(output, "is short for")).isEmpty());
	}

	@Test
	void nothingIsMeasuredForAnApplicationWithoutLocks() {
		List<Thread> before = measurements();
		this.runner.run((context) -> assertThat(measurements()).isSubsetOf(before));
	}

	@Test
	void whenMistakesAreWarnedOfThenTheMethodFailsWithoutItsBody(CapturedOutput output) {
		this.warned.withBean("payments", WrongKey.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(linesWith(output, WrongKey.class.getName())).singleElement()
				.asString()
				.contains("WARN", ".pay(long)", "'#oder'", "Correct the expression.");
			WrongKey payments = context.getBean(WrongKey.class);
			assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(() -> payments.pay(1))
				.withMessageContaining("#oder");
			assertThat(payments.paid()).isEmpty();
			payments.refund(2);
			assertThat(payments.paid()).containsExactly(-2L);
		});
	}

	@Test
	void whenMistakesAreWarnedOfThenAMethodWithoutItsBackendFailsWithoutItsBody(CapturedOutput output) {
		this.warned.withBean(UnknownBackend.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(linesWith(output, "backend = 'elsewhere'")).singleElement().asString().contains("WARN");
			assertThatException().isThrownBy(context.getBean(UnknownBackend.class)::pay)
				.withMessageContaining("elsewhere");
			assertThat(context.getBean(UnknownBackend.class).isPaid()).isFalse();
		});
	}

	@Test
	void whenMistakesAreWarnedOfThenAHandlerIsMissedOnce(CapturedOutput output) {
		this.warned.withBean(Handled.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(linesWith(output, "handler = 'later'")).singleElement().asString().contains("WARN");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { NeededByBeanPostProcessor.class, NeededByFactoryPostProcessor.class })
	void whenMistakesAreWarnedOfThenAnEarlyBeanIsNamedOnce(Class<?> configuration, CapturedOutput output) {
		this.warned.withUserConfiguration(configuration).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(linesWith(output, "created before it could be proxied")).singleElement()
				.asString()
				.contains("WARN", "'payments'");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { PrivateMethod.class, FinalMethod.class, StaticMethod.class })
	void whenMistakesAreWarnedOfThenAMethodIsNamedOnce(Class<?> type, CapturedOutput output) {
		this.warned.withBean(type).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(linesWith(output, "its calls cannot be intercepted")).singleElement()
				.asString()
				.contains("WARN", type.getName() + ".pay()");
		});
	}

	@Test
	void settingsForAnUnusedNameAreWarnedOf(CapturedOutput output) {
		this.runner.withBean(Payments.class)
			.withPropertyValues("lock.names.payment.wait-time=1s", "lock.names.paymnet.wait-time=1s",
					"lock.names.invoice.wait-time=1s")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(linesWith(output, "lock.names.*")).singleElement()
					.asString()
					.contains("WARN", "'invoice', 'paymnet'")
					.doesNotContain("'payment'");
			});
	}

	@Test
	void settingsForNamesThatAreUsedAreNotWarnedOf(CapturedOutput output) {
		this.runner.withBean(Payments.class)
			.withPropertyValues("lock.names.payment.wait-time=1s")
			.run((context) -> assertThat(linesWith(output, "lock.names.*")).isEmpty());
	}

	private static void analyze(ApplicationContextRunner runner, Consumer<FailureAnalysis> consumer) {
		runner.run((context) -> consumer.accept(FailureAnalyses.of(context)));
	}

	/**
	 * Runs an assertion when the way to the store was measured.
	 */
	private static void measured(ApplicationContextRunner runner, Runnable assertion) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			awaitMeasurements();
			assertion.run();
		});
	}

	private static void awaitMeasurements() throws InterruptedException {
		for (Thread measurement : measurements()) {
			measurement.join();
		}
	}

	private static List<Thread> measurements() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("lock-lease-time-check"))
			.toList();
	}

	private static List<String> linesWith(CapturedOutput output, String text) {
		return output.toString().lines().filter((line) -> line.contains(text)).toList();
	}

	@Configuration(proxyBeanMethods = false)
	static class Dependents {

		@Bean
		String outer(WrongTime inner) {
			return inner.toString();
		}

		@Bean
		WrongTime inner() {
			return new WrongTime();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeededByBeanPostProcessor {

		@Bean
		static Payments payments() {
			return new Payments();
		}

		@Bean
		static EarlyPostProcessor postProcessor(Payments payments) {
			return new EarlyPostProcessor();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NeededByFactoryPostProcessor {

		@Bean
		static Payments payments() {
			return new Payments();
		}

		@Bean
		static BeanFactoryPostProcessor postProcessor(Payments payments) {
			return (beanFactory) -> {
			};
		}

	}

	@Aspect
	static class LockedAspect {

		@DistributedLock
		void report() {
		}

	}

	static class LockedAdvice implements MethodInterceptor {

		@DistributedLock
		void report() {
		}

		@Override
		public Object invoke(MethodInvocation invocation) throws Throwable {
			return invocation.proceed();
		}

	}

	static class LockedPostProcessor implements BeanPostProcessor {

		@DistributedLock
		void pay() {
		}

	}

	static class LockedEarlyPostProcessor extends LockedPostProcessor implements PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	/**
	 * Is there before what makes proxies.
	 */
	static class EarlyPostProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class ChildApplication {

	}

	/**
	 * Puts a proxy around each bean that it knows.
	 */
	static class Wrapper implements BeanPostProcessor {

		private final boolean proxyTargetClass;

		Wrapper(boolean proxyTargetClass) {
			this.proxyTargetClass = proxyTargetClass;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!(bean instanceof Sender || bean instanceof Payments)) {
				return bean;
			}
			ProxyFactory factory = new ProxyFactory(bean);
			factory.setProxyTargetClass(this.proxyTargetClass);
			return factory.getProxy();
		}

	}

	static class EarlyWrapper extends Wrapper implements PriorityOrdered {

		EarlyWrapper() {
			super(true);
		}

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxiedByInterface {

		@Bean
		@Proxyable(ProxyType.INTERFACES)
		FinalPayments payments() {
			return new FinalPayments();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxiedByClass {

		@Bean
		@Proxyable(ProxyType.TARGET_CLASS)
		FinalPayments payments() {
			return new FinalPayments();
		}

	}

	static class Payments {

		@DistributedLock(name = "payment")
		void pay() {
		}

	}

	static class WrongTime {

		@DistributedLock(waitTime = "-5s")
		void pay() {
		}

	}

	static class WrongPermits {

		@DistributedSemaphore(permits = "0")
		void enter() {
		}

	}

	static class Retained {

		@DistributedLock(name = "payment", retain = "5s")
		public void pay() {
		}

	}

	static class UnknownBackend {

		private boolean paid;

		@DistributedLock(backend = "elsewhere")
		void pay() {
			this.paid = true;
		}

		boolean isPaid() {
			return this.paid;
		}

	}

	static class Handled {

		@DistributedLock(onFailure = OnFailure.HANDLE, handler = "later")
		void pay() {
		}

	}

	static final class FinalPayments implements Callable<String> {

		@Override
		@DistributedLock
		public String call() {
			return "paid";
		}

	}

	record RecordedPayments(String name) {

		@DistributedLock
		void pay() {
		}

	}

	static sealed class SealedPayments permits OnlyPayments {

		@DistributedLock
		void pay() {
		}

	}

	static final class OnlyPayments extends SealedPayments {

	}

	static final class CloseablePayments implements AutoCloseable {

		@DistributedLock
		void pay() {
		}

		@Override
		public void close() {
		}

	}

	record Unlocked(String name) {

	}

	interface Sender {

		@DistributedLock(name = "sender")
		void send();

	}

	static class AnnotatedSender implements Sender {

		@Override
		@DistributedLock(name = "annotated")
		public void send() {
		}

	}

	static class PrivateMethod {

		@DistributedLock
		private void pay() {
		}

	}

	static class ForeignMethod extends PackagePrivateMethod {

	}

	@DistributedLock
	static class AnnotatedSubclass extends PackagePrivateMethod.WithoutAnnotation {

		void book() {
		}

	}

	static class FinalMethod {

		@DistributedLock
		final void pay() {
		}

	}

	static class StaticMethod {

		@DistributedLock
		static void pay() {
		}

	}

	static class ShortLease {

		@DistributedLock(leaseTime = "1s")
		void pay() {
		}

	}

	static class WrongKey {

		private final List<Long> paid = new ArrayList<>();

		@DistributedLock(key = "#oder")
		void pay(long order) {
			this.paid.add(order);
		}

		@DistributedLock(key = "#order")
		void refund(long order) {
			this.paid.add(-order);
		}

		List<Long> paid() {
			return this.paid;
		}

	}

}
