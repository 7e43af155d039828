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

import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockspring.support.JavaCode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Java code in the README is compiled, and its beans are started.
 */
class ReadmeTests {

	@TempDir
	private Path classes;

	@Test
	void codeIsCompiledAndStarted() throws Exception {
		Path page = Path.of("..", "README.md");
		List<String> blocks = JavaCode.blocksOf(page);
		assertThat(blocks).hasSize(3);
		Map<String, String> code = Map.of("First", "class First {" + blocks.get(0) + "}", "Orders", blocks.get(1),
				"InCode", "class InCode { void use(LockOperations locks, LockClient client) {" + blocks.get(2)
						+ "} void pay(long id) { } }");
		try (URLClassLoader loader = new JavaCode("readme", JavaCode.importsOf(page)).compile(code, this.classes)) {
			start(loader);
		}
	}

	private void start(ClassLoader loader) {
		List<Class<?>> beans = List.of("Orders", "First").stream().<Class<?>>map((name) -> load(loader, name)).toList();
		ApplicationContextRunner runner = new ApplicationContextRunner().withClassLoader(loader)
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("lock.backend=local");
		for (Class<?> bean : beans) {
			runner = runner.withBean(bean);
		}
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			Object orders = context.getBean(load(loader, "Orders"));
			assertThat(orders.getClass().getMethod("quote", String.class).invoke(orders, "isin")).isEqualTo("asked");
		});
	}

	private static Class<?> load(ClassLoader loader, String name) {
		try {
			return loader.loadClass("readme." + name);
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
