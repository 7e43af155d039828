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

package io.github.lockspring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that no class with a tag of a suite is missing among those that the suite looks
 * at: its tests would not be run at all, because the tag excludes them from the others.
 */
class SuiteTests {

	private static final Path TESTS = Path.of("src", "test");

	@Test
	void racesAreListed() throws IOException {
		Set<String> listed = Files.readAllLines(TESTS.resolve("races.txt"))
			.stream()
			.filter((line) -> !line.startsWith("#"))
			.map((line) -> line.substring(line.lastIndexOf('/') + 1))
			.collect(Collectors.toSet());
		assertThat(filesWith("@Tag(\"races\")")).containsExactlyInAnyOrderElementsOf(listed);
	}

	@Test
	void modelChecksAreNamedSo() throws IOException {
		assertThat(filesWith("@Tag(\"model-check\")")).isNotEmpty()
			.allSatisfy((name) -> assertThat(name).endsWith("ModelTests.java"));
	}

	private static Set<String> filesWith(String tag) throws IOException {
		try (Stream<Path> files = Files.walk(TESTS.resolve("java"))) {
			return files.filter((file) -> file.toString().endsWith("Tests.java"))
				.filter((file) -> contentOf(file).lines().map(String::strip).anyMatch(tag::equals))
				.map((file) -> file.getFileName().toString())
				.collect(Collectors.toSet());
		}
	}

	private static String contentOf(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
