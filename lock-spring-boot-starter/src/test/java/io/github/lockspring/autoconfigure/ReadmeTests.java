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

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Java code in the README is compiled, and its beans are started.
 */
class ReadmeTests {

	private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

	private static final String IMPORTS = """
			package readme;
			import java.time.Duration;
			import java.util.concurrent.locks.Lock;
			import io.github.lockspring.*;
			import io.github.lockspring.concurrent.LockClient;
			import io.github.lockspring.jdbc.JdbcLockBackend;
			import org.springframework.scheduling.annotation.Scheduled;
			import org.springframework.stereotype.*;
			import org.springframework.transaction.annotation.Transactional;
			""";

	private static final Map<String, String> SURROUNDINGS = Map.of("Quote", "record Quote(String isin) { }", "Quotes",
			"""
					@Component class Quotes {
						Quote ask(String isin) { return new Quote("asked"); }
						Quote last(String isin) { return new Quote("last"); }
					}
					""", "Payments", """
					@Component class Payments {
						void send(long id, long token) { }
						byte[] report(int year) { return new byte[0]; }
					}
					""");

	@TempDir
	private Path classes;

	@Test
	void codeIsCompiledAndStarted() throws Exception {
		List<String> blocks = JAVA.matcher(Files.readString(Path.of("..", "README.md")))
			.results()
			.map((match) -> match.group(1))
			.toList();
		assertThat(blocks).hasSize(4);
		try (URLClassLoader loader = compile(
				Map.of("First", "class First {" + blocks.get(0) + "}", "Orders", blocks.get(1), "InCode",
						"class InCode { void use(LockOperations locks, LockClient client) {" + blocks.get(2)
								+ "} void pay(long id) { } }",
						"Alone", "class Alone { void use(javax.sql.DataSource dataSource) {" + blocks.get(3)
								+ "} void pay(long id) { } }"))) {
			start(loader);
		}
	}

	private void start(ClassLoader loader) {
		List<Class<?>> beans = List.of("Quotes", "Payments", "Orders", "First")
			.stream()
			.<Class<?>>map((name) -> load(loader, name))
			.toList();
		ApplicationContextRunner runner = new ApplicationContextRunner().withClassLoader(loader)
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("lock.backend=local");
		for (Class<?> bean : beans) {
			runner = runner.withBean(bean);
		}
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			Object orders = context.getBean(load(loader, "Orders"));
			assertThat(orders.getClass().getMethod("quote", String.class).invoke(orders, "isin")).asString()
				.contains("asked");
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

	private URLClassLoader compile(Map<String, String> code) throws IOException {
		List<Source> sources = List.of(code, SURROUNDINGS)
			.stream()
			.flatMap((each) -> each.entrySet().stream())
			.map((each) -> new Source(each.getKey(), each.getValue()))
			.toList();
		StringWriter problems = new StringWriter();
		boolean compiled = ToolProvider.getSystemJavaCompiler()
			.getTask(problems, null, null,
					List.of("-proc:none", "-parameters", "-d", this.classes.toString(), "-classpath",
							System.getProperty("java.class.path")),
					null, sources)
			.call();
		assertThat(compiled).as(problems.toString()).isTrue();
		return new URLClassLoader(new URL[] { this.classes.toUri().toURL() }, getClass().getClassLoader());
	}

	/**
	 * A source file; an ellipsis stands for code that does not matter.
	 */
	private static final class Source extends SimpleJavaFileObject {

		private final String text;

		Source(String name, String code) {
			super(URI.create("string:///readme/" + name + ".java"), Kind.SOURCE);
			this.text = IMPORTS + code.replace("…", "/* … */");
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.text;
		}

	}

}
