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

package io.github.lockspring.spi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.asm.ClassReader;
import org.springframework.asm.Opcodes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that no backend was forgotten: each has a subclass of
 * {@link LockBackendContractTests}, or several, whose name starts with its own.
 */
class EveryBackendIsUnderContractTests {

	@Test
	void everyBackendHasItsContractTests() throws Exception {
		Map<String, ClassReader> library = classesBeside(LockBackend.class);
		Map<String, ClassReader> all = new HashMap<>(library);
		all.putAll(classesBeside(LockBackendContractTests.class));
		Set<String> tests = concreteSubclasses(all, LockBackendContractTests.class);
		assertThat(concreteSubclasses(library, LockBackend.class)).contains("LocalLockBackend", "RedisLockBackend")
			.allSatisfy((backend) -> assertThat(tests).anyMatch((test) -> test.matches(backend + "(Server)?Tests.*")));
	}

	/**
	 * Reads all classes of the folder in which one is.
	 */
	private static Map<String, ClassReader> classesBeside(Class<?> type) throws IOException, URISyntaxException {
		Path folder = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
		try (Stream<Path> files = Files.walk(folder.resolve("io/github/lockspring"))) {
			return files.filter((file) -> file.toString().endsWith(".class"))
				.map(EveryBackendIsUnderContractTests::read)
				.collect(Collectors.toMap(ClassReader::getClassName, Function.identity()));
		}
	}

	private static ClassReader read(Path file) {
		try {
			return new ClassReader(Files.readAllBytes(file));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Set<String> concreteSubclasses(Map<String, ClassReader> classes, Class<?> type) {
		return classes.values()
			.stream()
			.filter((each) -> (each.getAccess() & Opcodes.ACC_ABSTRACT) == 0)
			.map(ClassReader::getClassName)
			.filter((name) -> isSubclass(classes, name, type))
			.map((name) -> name.substring(name.lastIndexOf('/') + 1))
			.collect(Collectors.toSet());
	}

	private static boolean isSubclass(Map<String, ClassReader> classes, String name, Class<?> type) {
		ClassReader reader = classes.get(name);
		return reader != null && Stream.concat(Stream.of(reader.getSuperName()), Stream.of(reader.getInterfaces()))
			.anyMatch((parent) -> type.getName().equals(parent.replace('/', '.')) || isSubclass(classes, parent, type));
	}

}
