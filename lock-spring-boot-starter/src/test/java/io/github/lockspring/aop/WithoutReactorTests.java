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

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.InvalidLockDeclarationException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for applications that have neither Reactor nor Kotlin, or not all of it.
 */
class WithoutReactorTests {

	private static final String REACTOR = "reactor-core|reactive-streams|rxjava|mutiny";

	private static final String KOTLIN = "kotlin";

	@Test
	void withoutReactorAndKotlinMethodsAreLocked() throws Exception {
		assertThat(run(REACTOR + '|' + KOTLIN, LockedOrders.class)).isEqualTo("paid later, paid");
	}

	@Test
	void withoutKotlinMethodsAreLocked() throws Exception {
		assertThat(run(KOTLIN, LockedOrders.class)).isEqualTo("paid later, paid");
	}

	@Test
	void withoutReactorStreamsAreRejected() throws Exception {
		assertThat(run(REACTOR + '|' + KOTLIN, LockedStreams.class)).contains("java.util.concurrent.Flow$Publisher")
			.contains("before the work is done");
	}

	/**
	 * Runs a class as if some libraries were not there.
	 */
	private static String run(String missing, Class<?> type) throws Exception {
		Pattern pattern = Pattern.compile(".*/(" + missing + ")[^/]*\\.jar");
		URL[] urls = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((path) -> !pattern.matcher(path.replace('\\', '/')).matches())
			.map(WithoutReactorTests::url)
			.toArray(URL[]::new);
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
			Thread.currentThread().setContextClassLoader(loader);
			return loader.loadClass(type.getName()).getDeclaredConstructor().newInstance().toString();
		}
		finally {
			Thread.currentThread().setContextClassLoader(before);
		}
	}

	private static URL url(String path) {
		try {
			return new File(path).toURI().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Calls locked methods and prints what they returned.
	 */
	public static class LockedOrders {

		private final String result;

		public LockedOrders() throws Exception {
			try (LockedProxies proxies = new LockedProxies()) {
				Orders orders = proxies.proxy(new Orders());
				this.result = orders.payLater(42).get(1, TimeUnit.MINUTES) + ", " + orders.pay(42);
			}
		}

		@Override
		public String toString() {
			return this.result;
		}

	}

	/**
	 * Prints why a locked stream is rejected.
	 */
	public static class LockedStreams {

		@Override
		public String toString() {
			try (LockedProxies proxies = new LockedProxies()) {
				proxies.proxy(new Streams());
				return "not rejected";
			}
			catch (InvalidLockDeclarationException ex) {
				return String.valueOf(ex.getMessage());
			}
		}

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> payLater(long id) {
			return CompletableFuture.supplyAsync(() -> "paid later");
		}

		@DistributedLock(name = "order", key = "#id")
		String pay(long id) {
			return "paid";
		}

	}

	static class Streams {

		@DistributedLock(name = "order")
		Flow.Publisher<String> work() {
			return null;
		}

	}

}
