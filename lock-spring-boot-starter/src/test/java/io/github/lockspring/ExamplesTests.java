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

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.support.JavaCode;
import io.github.lockspring.support.MarkdownPage;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the examples on all pages: a reader who copies one finds in it, or in one
 * before it, which types of this library it uses; and of the guide to the source code.
 */
class ExamplesTests {

	private static final Path ROOT = Path.of("..");

	private static final Path SOURCES = Path.of("src", "main", "java");

	private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

	private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([\\w.]+?)(?:\\.[a-z]\\w*)?;");

	private static final Pattern NOT_CODE = Pattern.compile("(?m)^import .*|//.*|(?s:\"\"\".*?\"\"\")|\"[^\"\\n]*\"");

	private static final Pattern NAME = Pattern.compile("`([a-z.]+)`");

	private static final Pattern TYPE = Pattern.compile("\\b[A-Z]\\w+");

	static List<Path> pages() {
		return MarkdownPage.all(ROOT)
			.stream()
			.map(MarkdownPage::file)
			.filter((page) -> !blocksOf(page).isEmpty())
			.toList();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void typesOfTheLibraryAreImported(Path page) throws IOException {
		Map<String, String> types = publicTypes();
		Set<String> imported = new HashSet<>();
		List<String> missing = new ArrayList<>();
		for (String block : blocksOf(page)) {
			matches(IMPORT, block, 1).forEach(imported::add);
			matches(TYPE, NOT_CODE.matcher(block).replaceAll(""), 0).map(types::get)
				.filter((type) -> type != null && !imported.contains(type))
				.forEach(missing::add);
		}
		assertThat(missing).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void importedTypesExist(Path page) {
		assertThat(blocksOf(page).stream().flatMap((block) -> matches(IMPORT, block, 1)))
			.allSatisfy((type) -> assertThat(Class.forName(type, false, getClass().getClassLoader())).isNotNull());
	}

	@Test
	void asynchronousMethodsAreOneClass(@TempDir Path classes) throws IOException {
		Path page = ROOT.resolve("docs").resolve("async.md");
		Map<String, String> code = Map.of("Orders", JavaCode.blocksOf(page).get(0), "Bank", """
				interface Bank {
					CompletableFuture<Long> charge(long id);
					Mono<Long> chargeReactively(long id);
				}
				""", "Files", "interface Files { Flux<Row> rows(); }", "Row", "record Row() { }", "Receipt", """
				record Receipt(long amount) {
					static Receipt of(long amount) { return new Receipt(amount); }
				}
				""");
		try (URLClassLoader loader = new JavaCode("async", JavaCode.importsOf(page)).compile(code, classes)) {
			assertThat(loader.getURLs()).isNotEmpty();
		}
	}

	@Test
	void sourceCodeGuideNamesAllPackagesAndNoOthers() throws IOException {
		Path root = SOURCES.resolve(Path.of("io", "github", "lockspring"));
		String guide = Files.readString(ROOT.resolve("docs").resolve("how-it-works.md"))
			.split("## Source code guide")[1];
		Stream<String> named = guide.lines()
			.filter((line) -> line.startsWith("| ") && line.contains("`"))
			.flatMap((line) -> matches(NAME, line.substring(line.lastIndexOf(" | ")), 1));
		try (Stream<Path> packages = Files.walk(root)) {
			assertThat(named).containsExactlyInAnyOrderElementsOf(
					packages.filter((folder) -> Files.exists(folder.resolve("package-info.java")))
						.map((folder) -> root.relativize(folder).toString().replace(File.separatorChar, '.'))
						.filter((name) -> !name.isEmpty())
						.toList());
		}
	}

	private static List<String> blocksOf(Path page) {
		try {
			return matches(BLOCK, Files.readString(page), 1).toList();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Stream<String> matches(Pattern pattern, String text, int group) {
		return pattern.matcher(text).results().map((MatchResult match) -> match.group(group));
	}

	/**
	 * Return the names of the public types by their simple names.
	 */
	private static Map<String, String> publicTypes() throws IOException {
		try (Stream<Path> files = Files.walk(SOURCES)) {
			return files.map((file) -> SOURCES.relativize(file).toString())
				.filter((file) -> file.endsWith(".java") && !file.endsWith("package-info.java"))
				.map((file) -> file.replace(".java", "").replace(File.separatorChar, '.'))
				.filter(ExamplesTests::isPublic)
				.collect(Collectors.toMap((name) -> name.substring(name.lastIndexOf('.') + 1), (name) -> name,
						(first, second) -> first));
		}
	}

	private static boolean isPublic(String name) {
		try {
			return Modifier.isPublic(Class.forName(name, false, ExamplesTests.class.getClassLoader()).getModifiers());
		}
		catch (ClassNotFoundException | LinkageError ex) {
			return false;
		}
	}

}
