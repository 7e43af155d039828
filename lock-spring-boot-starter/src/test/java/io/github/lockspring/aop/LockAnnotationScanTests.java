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

import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.cglib.proxy.Enhancer;
import org.springframework.cglib.proxy.NoOp;
import org.springframework.transaction.annotation.Transactional;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockAnnotationScan}.
 */
class LockAnnotationScanTests {

	private final LockAnnotationScan scan = new LockAnnotationScan();

	@ParameterizedTest
	@ValueSource(classes = { OnMethod.class, OnPrivateMethod.class, OnClass.class, OnSuperclass.class,
			OnMethodOfSuperclass.class, OnInterface.class, OnParentOfInterface.class, Repeated.class, Meta.class,
			MetaOfMeta.class, RepeatedMeta.class, MetaOfRepeatedMeta.class, Semaphore.class })
	void findsTheAnnotationWhereverItIs(Class<?> type) {
		assertThat(this.scan.mayHaveLocks(type)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(classes = { Object.class, String.class, List.class, Nothing.class, NoLock.class })
	void rulesOutOtherClasses(Class<?> type) {
		assertThat(this.scan.mayHaveLocks(type)).isFalse();
	}

	@Test
	void findsTheAnnotationBehindProxies() {
		Object jdkProxy = Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Payments.class },
				(proxy, method, args) -> null);
		assertThat(this.scan.mayHaveLocks(jdkProxy.getClass())).isTrue();
		assertThat(this.scan.mayHaveLocks(Enhancer.create(OnMethod.class, NoOp.INSTANCE).getClass())).isTrue();
	}

	@Test
	void aTypeWithoutLocksDoesNotHideThoseOfSubclasses() {
		assertThat(this.scan.mayHaveLocks(Nothing.class)).isFalse();
		assertThat(this.scan.mayHaveLocks(LockedChild.class)).isTrue();
	}

	static class Nothing implements Callable<String> {

		@Override
		public String call() {
			return "";
		}

	}

	static class LockedChild extends Nothing {

		@Override
		@DistributedLock(name = "call")
		public String call() {
			return "";
		}

	}

	@Transactional
	static class NoLock {

		@Deprecated
		@Transactional
		void pay() {
		}

	}

	static class OnMethod {

		@DistributedLock(name = "pay")
		void pay() {
		}

	}

	static class OnPrivateMethod {

		@DistributedLock(name = "pay")
		private void pay() {
		}

	}

	@DistributedLock(name = "pay")
	static class OnClass {

	}

	static class OnSuperclass extends OnClass {

	}

	static class OnMethodOfSuperclass extends OnMethod {

	}

	interface Payments {

		@DistributedLock(name = "pay")
		void pay();

	}

	interface MorePayments extends Payments {

	}

	static class OnInterface implements Payments {

		@Override
		public void pay() {
		}

	}

	static class OnParentOfInterface implements MorePayments {

		@Override
		public void pay() {
		}

	}

	static class Repeated {

		@DistributedLock(name = "pay")
		@DistributedLock(name = "book")
		void pay() {
		}

	}

	static class Semaphore {

		@DistributedSemaphore(name = "pay", permits = "2")
		void pay() {
		}

	}

	static class Meta {

		@PayLock
		void pay() {
		}

	}

	static class MetaOfMeta {

		@PayLockToo
		void pay() {
		}

	}

	static class RepeatedMeta {

		@PayLock
		@PayLock
		void pay() {
		}

	}

	static class MetaOfRepeatedMeta {

		@PayLockTwice
		void pay() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Repeatable(PayLocks.class)
	@DistributedLock(name = "pay")
	@interface PayLock {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface PayLocks {

		PayLock[] value();

	}

	@Retention(RetentionPolicy.RUNTIME)
	@PayLock
	@interface PayLockToo {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@PayLock
	@PayLock
	@interface PayLockTwice {

	}

}
