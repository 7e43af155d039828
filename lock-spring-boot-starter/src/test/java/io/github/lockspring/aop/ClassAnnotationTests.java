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

import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.framework.ProxyFactory;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.InvalidLockDeclarationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for annotations of classes and interfaces: which methods they hold for, and which
 * of several counts.
 */
class ClassAnnotationTests {

	private static final String NAME = ClassAnnotationTests.class.getName();

	private final LockedProxies proxies = new LockedProxies();

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@Test
	void methodsOfTheClassAreLocked() {
		Reports reports = this.proxies.proxy(new Reports());
		reports.open();
		reports.guarded();
		reports.near();
		assertLocked("report", "report", "report");
	}

	@Test
	void annotationOfTheMethodReplacesAllOfItsClass() {
		Both both = this.proxies.proxy(new Both());
		both.plain();
		assertLocked("class", "class-permits");
		both.special();
		assertLocked("class", "class-permits", "method");
	}

	@Test
	void methodsThatEveryObjectHasAreNotLocked() {
		Reports reports = this.proxies.proxy(new Reports());
		assertThat(reports).hasToString("reports");
		assertLocked();
	}

	@Test
	void privateAndStaticMethodsAreNotLocked() {
		this.proxies.proxy(new Reports()).open();
		assertThat(Reports.common()).isEqualTo("common, hidden");
		assertLocked("report");
	}

	@Test
	void bodiesOfLambdasAreNotLocked() {
		this.proxies.proxy(new Lambdas()).run();
		assertLocked("lambda");
	}

	@Test
	void finalMethodIsRejected() {
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.proxies.proxy(new WithFinalMethod()))
			.withMessageContaining("WithFinalMethod.last()")
			.withMessageContaining("the method is final");
	}

	@Test
	void finalMethodOfASuperclassWithoutTheAnnotationIsNotLocked() {
		Dao dao = this.proxies.proxy(new Dao());
		dao.setDaoName("dao");
		dao.find();
		assertLocked("dao");
	}

	@Test
	void finalMethodOfASuperclassWithTheAnnotationIsRejected() {
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.proxies.proxy(new MoreFinalMethods()))
			.withMessageContaining("WithFinalMethod.last()");
	}

	@Test
	void finalMethodOfASuperclassThatTheInterfaceWithTheAnnotationDeclaresIsRejected() {
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.proxies.proxy(new NamedDao()))
			.withMessageContaining("DaoSupport.setDaoName(String)");
	}

	@Test
	void whenNameIsMissingThenEachMethodHasItsOwn() {
		Unnamed unnamed = this.proxies.proxy(new Unnamed());
		unnamed.one();
		unnamed.two();
		assertLocked(NAME + "$Unnamed.one", NAME + "$Unnamed.two");
	}

	@Test
	void eachMethodHasTheKeyOfItsArguments() {
		Keyed keyed = this.proxies.proxy(new Keyed());
		keyed.one(1);
		keyed.two("a", 2L);
		assertLocked("keyed:1", "keyed:2");
	}

	@Test
	void methodWithoutTheArgumentOfTheKeyIsRejected() {
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.proxies.proxy(new KeyedWithoutId()))
			.withMessageContaining("KeyedWithoutId.three()")
			.withMessageContaining("#id");
	}

	@Test
	void annotationOfTheSuperclassHoldsForMethodsOfTheSubclass() {
		MoreReports reports = this.proxies.proxy(new MoreReports());
		reports.open();
		reports.more();
		assertLocked("report", "report");
	}

	@Test
	void annotationOfTheSubclassHoldsForMethodsOfTheSuperclass() {
		OwnReports reports = this.proxies.proxy(new OwnReports());
		reports.open();
		reports.near();
		assertLocked("own", "own");
	}

	@Test
	void annotationOfTheSubclassReplacesThatOfTheInterface() {
		this.proxies.proxy(new OwnSender(), Sender.class).send("a");
		assertLocked("own-sender");
	}

	@Test
	void annotationOfAnOverriddenMethodReplacesThatOfTheClass() {
		this.proxies.proxy(new Overriding()).special();
		assertLocked("method");
	}

	@Test
	void annotationOfTheInterfaceHoldsInClassProxy() {
		PlainSender sender = this.proxies.proxy(new PlainSender());
		sender.send("a");
		sender.sendTwice("a");
		assertLocked("sender", "sender-twice");
	}

	@Test
	void annotationOfTheInterfaceHoldsInInterfaceProxy() {
		Sender<?> sender = this.proxies.proxy(new PlainSender(), Sender.class);
		sender.ping();
		sender.sendTwice(null);
		assertLocked("sender", "sender-twice");
	}

	@Test
	void annotationOfTheInterfaceHoldsForBridgedMethods() {
		Sender<String> sender = this.proxies.proxy(new PlainSender());
		sender.send("a");
		assertLocked("sender");
	}

	@Test
	void annotationOfTheInterfaceHoldsForMethodOfAClassThatDoesNotImplementIt() {
		Counter proxy = this.proxies.proxy(new Counted(), Counter.class);
		proxy.count(3);
		assertLocked("count:3");
	}

	@Test
	void annotationOfTheInterfaceHoldsForMethodOfAClassThatDoesNotImplementItInClassProxy() {
		this.proxies.proxy(new Counted()).count(3);
		assertLocked("count:3");
	}

	@Test
	void annotationOfTheInterfaceHoldsForGenericMethodOfAClassThatDoesNotImplementIt() {
		this.proxies.proxy(new GenericCounted()).count(3L);
		assertLocked("generic:3");
	}

	@Test
	void annotationOfTheInterfaceOfAClientHoldsForItsOwnMethods() {
		Quotes client = ProxyFactory.getProxy(Quotes.class, (MethodInterceptor) (invocation) -> "a quote");
		assertThat(this.proxies.proxy(client, Quotes.class).quote(7)).isEqualTo("a quote");
		assertLocked("quote:7");
	}

	@Test
	void recordIsLockedThroughItsInterface() {
		this.proxies.proxy(new Point(1), Counter.class).count(4);
		assertLocked("count:4");
	}

	@Test
	void finalClassIsLockedThroughItsInterface() {
		this.proxies.proxy(new Last(), Counter.class).count(5);
		assertLocked("count:5");
	}

	@Test
	void finalClassCannotBeProxiedWithoutInterface() {
		assertThatExceptionOfType(AopConfigException.class).isThrownBy(() -> this.proxies.proxy(new Last()))
			.withMessageContaining("final class");
	}

	private void assertLocked(String... keys) {
		assertThat(this.proxies.backend.keys().stream().map((key) -> key.substring("lock:".length())).toList())
			.containsExactly(keys);
	}

	@DistributedLock(name = "report")
	static class Reports {

		public void open() {
			ownSecret();
		}

		protected void guarded() {
		}

		void near() {
		}

		private static String hidden() {
			return "hidden";
		}

		private void ownSecret() {
		}

		static String common() {
			return "common, " + hidden();
		}

		@Override
		public String toString() {
			return "reports";
		}

	}

	static class MoreReports extends Reports {

		void more() {
		}

	}

	@DistributedLock(name = "own")
	static class OwnReports extends Reports {

		@Override
		public void open() {
		}

	}

	@DistributedLock(name = "class")
	@DistributedSemaphore(name = "class-permits", permits = "2")
	static class Both {

		void plain() {
		}

		@DistributedLock(name = "method")
		void special() {
		}

	}

	@DistributedLock(name = "overriding")
	static class Overriding extends Both {

		@Override
		void special() {
		}

	}

	@DistributedLock(name = "lambda")
	static class Lambdas {

		private int runs;

		void run() {
			Runnable runnable = () -> this.runs++;
			runnable.run();
		}

	}

	@DistributedLock(name = "last")
	static class WithFinalMethod {

		final void last() {
		}

	}

	@DistributedLock(name = "more")
	static class MoreFinalMethods extends WithFinalMethod {

		void first() {
		}

	}

	static class DaoSupport {

		public final void setDaoName(String name) {
		}

	}

	@DistributedLock(name = "dao")
	static class Dao extends DaoSupport {

		void find() {
		}

	}

	@DistributedLock(name = "named")
	interface Named {

		void setDaoName(String name);

	}

	static class NamedDao extends DaoSupport implements Named {

	}

	@DistributedLock
	static class Unnamed {

		void one() {
		}

		void two() {
		}

	}

	@DistributedLock(name = "keyed", key = "#id")
	static class Keyed {

		void one(int id) {
		}

		void two(String text, Long id) {
		}

	}

	@DistributedLock(name = "keyed", key = "#id")
	static class KeyedWithoutId {

		void three() {
		}

	}

	@DistributedLock(name = "sender")
	interface Sender<T> {

		void send(T what);

		default void ping() {
		}

		@DistributedLock(name = "sender-twice")
		default void sendTwice(T what) {
		}

	}

	static class PlainSender implements Sender<String> {

		@Override
		public void send(String what) {
		}

	}

	@DistributedLock(name = "own-sender")
	static class OwnSender implements Sender<String> {

		@Override
		public void send(String what) {
		}

	}

	/**
	 * Implemented by a proxy of Spring, as interfaces of HTTP clients and repositories
	 * are.
	 */
	@DistributedLock(name = "quote", key = "#id")
	interface Quotes {

		String quote(long id);

	}

	interface Counter {

		@DistributedLock(name = "count", key = "#p0")
		void count(int number);

	}

	static class Counting {

		public void count(int number) {
		}

	}

	static class Counted extends Counting implements Counter {

	}

	interface GenericCounter<T> {

		@DistributedLock(name = "generic", key = "#p0")
		void count(T number);

	}

	static class GenericCounting {

		public void count(Long number) {
		}

	}

	static class GenericCounted extends GenericCounting implements GenericCounter<Long> {

	}

	record Point(int x) implements Counter {

		@Override
		public void count(int number) {
		}

	}

	static final class Last implements Counter {

		@Override
		public void count(int number) {
		}

	}

}
