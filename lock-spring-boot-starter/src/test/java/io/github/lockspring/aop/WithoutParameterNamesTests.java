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

import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.github.lockspring.InvalidLockDeclarationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for keys in classes that were compiled without {@code -parameters}.
 */
class WithoutParameterNamesTests {

	private final LockedProxies proxies = new LockedProxies();

	@TempDir
	Path classes;

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@Test
	void nameIsRejectedAndTheOptionOfTheCompilerIsNamed() throws Exception {
		Object bean = compile("#id");
		assertThatExceptionOfType(InvalidLockDeclarationException.class).isThrownBy(() -> this.proxies.proxy(bean))
			.withMessageContaining("'#id'")
			.withMessageContaining("#p0")
			.withMessageContaining("-parameters");
	}

	@Test
	void indexIsTaken() throws Exception {
		Object proxy = this.proxies.proxy(compile("#p0"));
		proxy.getClass().getMethod("run", String.class).invoke(proxy, "a");
		assertThat(this.proxies.backend.keys()).containsExactly("lock:compiled:a");
	}

	private Object compile(String key) throws Exception {
		String source = """
				public class Compiled {
					@io.github.lockspring.DistributedLock(name = "compiled", key = "%s")
					public void run(String id) {
					}
				}
				""".formatted(key);
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		StringWriter problems = new StringWriter();
		boolean done = compiler
			.getTask(problems, null, null, List.of("-proc:none", "-d", this.classes.toString(), "-classpath",
					System.getProperty("java.class.path")), null, List.of(new Source(source)))
			.call();
		assertThat(done).as(problems.toString()).isTrue();
		URLClassLoader loader = new URLClassLoader(new URL[] { this.classes.toUri().toURL() },
				getClass().getClassLoader());
		return loader.loadClass("Compiled").getConstructor().newInstance();
	}

	private static final class Source extends SimpleJavaFileObject {

		private final String text;

		Source(String text) {
			super(URI.create("string:///Compiled.java"), Kind.SOURCE);
			this.text = text;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.text;
		}

	}

}
