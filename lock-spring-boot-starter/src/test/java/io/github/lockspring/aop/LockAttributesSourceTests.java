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

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AliasFor;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.InvalidLockDeclarationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockAttributesSource}.
 */
class LockAttributesSourceTests {

	private final LockedProxies proxies = new LockedProxies();

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@Test
	void metaAnnotationIsFound() {
		this.proxies.proxy(new Orders()).cancel(42);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:cancel:42");
	}

	@Test
	void nameMayBeGivenAsValue() {
		ByValue calls = this.proxies.proxy(new ByValue());
		calls.pay(42);
		calls.print();
		assertThat(this.proxies.backend.keys()).containsExactly("lock:order:42", "lock:printer");
	}

	@Test
	void valueAndNameThatDifferAreRejected() {
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.proxies.proxy(new TwoNames()))
			.withMessageContaining(".pay()")
			.withMessageContaining("'name'");
	}

	@Test
	void whenMistakesAreWarnedOfThenAMethodWithValueAndNameThatDifferFailsWithoutItsBody() {
		LockDefaults warning = new LockDefaults(LockedProxies.TRY_ONCE, null, false, false, Map.of(),
				new LockDefaults.Jpa(true, false));
		try (LockedProxies proxies = new LockedProxies(warning)) {
			TwoNames names = proxies.proxy(new TwoNames());
			assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(names::pay);
			assertThat(proxies.backend.keys()).isEmpty();
		}
	}

	@Test
	void valueAndNameThatDifferAreNoDeclarationAheadOfTime() {
		this.proxies.context.registerBean("names", TwoNames.class);
		RegisteredBean bean = RegisteredBean.of(this.proxies.context.getDefaultListableBeanFactory(), "names");
		assertThat(new LockAnnotationAotProcessor().processAheadOfTime(bean)).isNull();
	}

	@Test
	void annotationOfTheInterfaceIsFoundInClassProxy() {
		this.proxies.proxy(new Invoices()).send(7L);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:invoice:7");
	}

	@Test
	void annotationOfTheInterfaceIsFoundInInterfaceProxy() {
		this.proxies.proxy(new Invoices(), Sender.class).send(7L);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:invoice:7");
	}

	@Test
	void annotationOfTheClassIsFoundInInterfaceProxy() {
		this.proxies.proxy(new Letters(), Sender.class).send(7L);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:letter:7");
	}

	@Test
	void annotationOfTheInterfaceIsFoundBehindAnotherProxy() {
		Sender<Long> proxy = this.proxies.proxy(new Invoices(), Sender.class);
		Object outer = this.proxies.proxy(proxy, Sender.class);
		((Sender<Long>) outer).send(7L);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:invoice:7");
	}

	@Test
	void annotationOfTheSuperclassIsFound() {
		this.proxies.proxy(new RushOrders()).pay(42);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:order:42");
	}

	@Test
	void subclassesHaveTheirOwnAttributes() {
		this.proxies.proxy(new Letters()).send(7L);
		this.proxies.proxy(new Parcels()).send(7L);
		assertThat(this.proxies.backend.keys()).containsExactly("lock:letter:7", "lock:parcel:7");
	}

	@Test
	void wrongDeclarationIsFoundBehindRightOnes() {
		try (LockedProxies proxies = new LockedProxies()) {
			assertThatExceptionOfType(InvalidLockDeclarationException.class)
				.isThrownBy(() -> proxies.proxy(new Object() {

					@DistributedLock
					void first() {
					}

					@DistributedLock(key = "#oops")
					void second() {
					}

					@DistributedLock
					void third() {
					}

				}))
				.withMessageContaining(".second()");
		}
	}

	static class TwoNames {

		@DistributedLock(value = "order", name = "invoice")
		void pay() {
			throw new IllegalStateException();
		}

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		void pay(long id) {
		}

		@LockedByFirstArgument(name = "cancel")
		void cancel(long id) {
		}

	}

	static class ByValue {

		@DistributedLock(value = "order", key = "#id")
		void pay(long id) {
		}

		@DistributedSemaphore(value = "printer", permits = "2")
		void print() {
		}

	}

	static class RushOrders extends Orders {

		@Override
		void pay(long id) {
		}

	}

	interface Sender<T> {

		@DistributedLock(name = "invoice", key = "#p0")
		void send(T id);

	}

	static class Invoices implements Sender<Long> {

		@Override
		public void send(Long id) {
		}

	}

	static class Letters implements Sender<Long> {

		@Override
		@DistributedLock(name = "letter", key = "#id")
		public void send(Long id) {
		}

	}

	static class Parcels extends Letters {

		@Override
		@DistributedLock(name = "parcel", key = "#number")
		public void send(Long number) {
			super.send(number);
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "#p0")
	@interface LockedByFirstArgument {

		@AliasFor(annotation = DistributedLock.class)
		String name();

	}

}
