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
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.test.context.TestContextManager;
import org.springframework.util.ReflectionUtils;

import io.github.lockspring.support.JavaCode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the page about testing, whose examples are compiled and run.
 */
class TestingPageTests {

	private static final Pattern CLASS = Pattern.compile("class (\\w+)");

	private static final String IMPORTS = """
			import java.time.Duration;
			import java.util.concurrent.CompletableFuture;
			import io.github.lockspring.*;
			import io.github.lockspring.test.*;
			import org.junit.jupiter.api.Test;
			import org.springframework.beans.factory.annotation.Autowired;
			import org.springframework.boot.autoconfigure.SpringBootApplication;
			import org.springframework.boot.test.context.SpringBootTest;
			import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
			import org.springframework.context.annotation.Import;
			import org.springframework.http.*;
			import org.springframework.stereotype.Service;
			import org.springframework.test.web.servlet.assertj.MockMvcTester;
			import org.springframework.web.bind.annotation.*;
			import static io.github.lockspring.test.TestLocksAssert.assertThat;
			import static org.assertj.core.api.Assertions.assertThat;
			import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
			import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
			import static org.awaitility.Awaitility.await;
			""";

	private static final Map<String, String> SURROUNDINGS = Map.of("ShopApplication", """
			@SpringBootApplication class ShopApplication { }
			""", "Orders", """
			@Service class Orders {
				@DistributedLock(name = "order", key = "#id", waitTime = "1h")
				public void pay(long id) { LockAssert.assertLocked("order"); }
			}
			""", "OrderController", """
			@RestController class OrderController {
				private final Orders orders;
				OrderController(Orders orders) { this.orders = orders; }
				@PutMapping("/orders/{id}") void pay(@PathVariable long id) { this.orders.pay(id); }
				@ExceptionHandler @ResponseStatus(HttpStatus.CONFLICT) void busy(LockNotAcquiredException ex) { }
			}
			""", "Shipping", """
			record Shipping(LockOperations locks) {
				boolean ship(long id) { return locks.execute("order:" + id, (lock) -> lock.isHeld()); }
			}
			""");

	@TempDir
	private Path classes;

	@Test
	void examplesAreCompiledAndRun() throws Exception {
		Map<String, String> examples = new LinkedHashMap<>();
		for (String block : JavaCode.blocksOf(Path.of("..", "docs", "testing.md"))) {
			Matcher type = CLASS.matcher(block);
			assertThat(type.find()).isTrue();
			examples.put(type.group(1), block);
		}
		assertThat(examples).hasSize(5);
		Map<String, String> code = new LinkedHashMap<>(SURROUNDINGS);
		code.putAll(examples);
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		try (URLClassLoader loader = new JavaCode("testing", IMPORTS).compile(code, this.classes)) {
			thread.setContextClassLoader(loader);
			for (String name : examples.keySet()) {
				run(loader.loadClass("testing." + name));
			}
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	/**
	 * Runs the tests of a class, in a context if it has one.
	 */
	private static void run(Class<?> type) throws Exception {
		List<Method> tests = Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(Test.class))
			.toList();
		assertThat(tests).isNotEmpty();
		TestContextManager manager = (type.getAnnotations().length > 0) ? new TestContextManager(type) : null;
		for (Method method : tests) {
			Object test = ReflectionUtils.accessibleConstructor(type).newInstance();
			ReflectionUtils.makeAccessible(method);
			if (manager == null) {
				method.invoke(test);
			}
			else {
				run(manager, test, method);
			}
		}
	}

	private static void run(TestContextManager manager, Object test, Method method) throws Exception {
		manager.prepareTestInstance(test);
		manager.beforeTestMethod(test, method);
		method.invoke(test);
		manager.afterTestMethod(test, method, null);
	}

}
