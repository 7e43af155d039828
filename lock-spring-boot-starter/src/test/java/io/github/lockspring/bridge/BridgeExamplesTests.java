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

package io.github.lockspring.bridge;

import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.integration.support.locks.LockRegistry;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.support.JavaCode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the bean definitions in the documentation.
 */
class BridgeExamplesTests {

	private static final String IMPORTS = """
			import io.github.lockspring.LockTemplate;
			import io.github.lockspring.bridge.*;
			import net.javacrumbs.shedlock.core.LockProvider;
			import org.springframework.context.annotation.Bean;
			import org.springframework.integration.support.locks.LockRegistry;
			""";

	@TempDir
	private Path classes;

	@Test
	void beansReplaceThoseOfTheOtherLibraries() throws Exception {
		Map<String, String> code = new LinkedHashMap<>();
		for (String page : List.of("shedlock.md", "spring-integration.md")) {
			for (String block : JavaCode.blocksOf(Path.of("..", "docs", "migrating", page))) {
				if (block.contains("new LeaseLock")) {
					String name = "Example" + code.size();
					code.put(name, "public class " + name + " {" + block.split("// after")[1] + "}");
				}
			}
		}
		try (URLClassLoader loader = new JavaCode("bridges", IMPORTS).compile(code, this.classes);
				LockTemplate locks = LockTemplate.builder(new LocalLockBackend()).build();
				AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(LockTemplate.class, () -> locks);
			for (String name : code.keySet()) {
				context.register(loader.loadClass("bridges." + name));
			}
			context.refresh();
			assertThat(context.getBean(LockProvider.class)).isInstanceOf(LeaseLockProvider.class);
			assertThat(context.getBean(LockRegistry.class)).isInstanceOf(LeaseLockRegistry.class);
		}
	}

}
