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

package io.github.lockspring.concurrent;

import java.lang.reflect.Method;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.support.JavaCode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the page about primitives, whose examples are compiled and run, and of the
 * tables that map the methods of other libraries.
 */
class PrimitivesPageTests {

	private static final String SURROUNDINGS = """
			static void ship(long id) { }
			static void ship(long id, long token) { }
			static void show() { }
			static void transfer(long from, long to) { }
			static void call() { }
			static void compute() { }
			static void resize(int size) { }
			static void report(long number) { }
			""";

	@TempDir
	private Path classes;

	@Test
	void examplesAreCompiledAndRun() throws Exception {
		Path page = Path.of("..", "docs", "primitives.md");
		List<String> blocks = JavaCode.blocksOf(page);
		Map<String, String> code = new LinkedHashMap<>();
		for (int i = 0; i < blocks.size(); i++) {
			String block = blocks.get(i)
				.replace("parts.countDown();", "for (int i = 0; i < 3; i++) parts.countDown();");
			code.put("Example" + i, "public class Example" + i + " { public static void run(LockClient client)"
					+ " throws Exception {" + block + "}" + SURROUNDINGS + "}");
		}
		assertThat(code).hasSizeGreaterThan(8);
		try (URLClassLoader loader = new JavaCode("primitives", JavaCode.importsOf(page)).compile(code, this.classes);
				LockTemplate locks = LockTemplate.builder(new LocalLockBackend()).build()) {
			LockClient client = new LockClient(locks);
			for (String name : code.keySet()) {
				Method run = loader.loadClass("primitives." + name).getMethod("run", LockClient.class);
				run.invoke(null, client);
			}
		}
	}

	@Test
	void everyMethodOfTheOtherLibrariesIsMapped() throws Exception {
		List<String> sections = new ArrayList<>();
		for (String page : List.of("redisson.md", "curator.md")) {
			sections.addAll(List.of(Files.readString(Path.of("..", "docs", "migrating", page)).split("\n## ")));
		}
		Properties methods = PropertiesLoaderUtils
			.loadProperties(new ClassPathResource("peer-methods.properties", getClass()));
		List<String> missing = new ArrayList<>();
		methods.forEach((type, names) -> {
			String own = sections.stream()
				.filter((section) -> section.split("\n")[0].contains("`" + type + "`"))
				.reduce("", String::concat);
			for (String name : ((String) names).split(" ")) {
				if (!own.contains("`" + name + "`")) {
					missing.add(type + "." + name);
				}
			}
		});
		assertThat(methods).isNotEmpty();
		assertThat(missing).isEmpty();
	}

}
