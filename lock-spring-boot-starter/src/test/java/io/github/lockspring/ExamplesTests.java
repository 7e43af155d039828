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
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.io.ClassPathResource;
import org.xml.sax.InputSource;

import io.github.lockspring.support.JavaBlocks;
import io.github.lockspring.support.PageBlock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the examples on all pages, which readers copy; and of the guide to the source
 * code. Those in SQL are executed, and properties are bound, in tests of their own.
 */
class ExamplesTests {

	private static final Path ROOT = Path.of("..");

	private static final String CLASS_PATH = System.getProperty("surefire.test.class.path",
			System.getProperty("java.class.path"));

	/**
	 * What Maven has copied.
	 */
	private static final List<Path> OTHER_LIBRARIES = List.of(Path.of("target", "other-libraries"),
			Path.of("target", "libraries-of-pages"));

	private static final Path SOURCES = Path.of("src", "main", "java");

	private static final Pattern NAME = Pattern.compile("`([a-z.]+)`");

	private static final Pattern MODULE = Pattern
		.compile("io\\.github\\.lockspring(?::|</groupId>\\s*<artifactId>)([\\w-]+)");

	private static final Pattern DEPENDENCY = Pattern
		.compile("<artifactId>([\\w-]+)</artifactId>\\s*<version>([\\w.-]+)</version>");

	private static final Pattern ASPECT = Pattern.compile("<aspect name=\"([\\w.]+)\"");

	/**
	 * Those that contain a type of this library have its import, or a block before them
	 * on the page has it.
	 */
	@Test
	void javaIsCompiled() throws IOException {
		String surroundings = new ClassPathResource("pages.java", getClass())
			.getContentAsString(StandardCharsets.UTF_8);
		List<PageBlock> blocks = PageBlock.in("java");
		assertThat(blocks).hasSizeGreaterThan(50);
		assertThat(new JavaBlocks(surroundings, classPathOfPages()).errorsIn(blocks)).isEmpty();
	}

	private static String classPathOfPages() throws IOException {
		List<String> entries = new ArrayList<>(List.of(CLASS_PATH));
		for (Path folder : OTHER_LIBRARIES) {
			assertThat(folder).as("what 'mvn generate-test-resources' copies").isDirectory();
			try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder)) {
				jars.forEach((jar) -> entries.add(jar.toString()));
			}
		}
		return String.join(File.pathSeparator, entries);
	}

	@Test
	void kotlinIsThatOfTests() throws IOException {
		String tests = withoutIndentation(Files.readString(Path.of("src", "test", "kotlin", "pages.kt")));
		assertThat(PageBlock.in("kotlin")).isNotEmpty()
			.allSatisfy((block) -> assertThat(withoutIndentation(block.text()).split("\n\n")).as(block.toString())
				.allSatisfy((paragraph) -> assertThat(tests).contains(paragraph)));
	}

	private static String withoutIndentation(String code) {
		return code.strip().replaceAll("(?m)^[ \\t]+", "").replaceAll("\\R", "\n");
	}

	static List<PageBlock> xml() {
		return PageBlock.in("xml");
	}

	@ParameterizedTest
	@MethodSource("xml")
	void xmlIsWellFormed(PageBlock block) throws Exception {
		DocumentBuilderFactory.newInstance()
			.newDocumentBuilder()
			.parse(new InputSource(new StringReader("<block>" + block.text() + "</block>")));
	}

	@ParameterizedTest
	@MethodSource("xml")
	void xmlNamesWhatExists(PageBlock block) throws ClassNotFoundException {
		Matcher aspect = ASPECT.matcher(block.text());
		while (aspect.find()) {
			Class.forName(aspect.group(1), false, getClass().getClassLoader());
		}
		Matcher dependency = DEPENDENCY.matcher(block.text());
		while (dependency.find()) {
			String jar = File.separator + dependency.group(1) + '-';
			assertThat(!CLASS_PATH.contains(jar) || CLASS_PATH.contains(jar + dependency.group(2) + ".jar"))
				.as("version of " + dependency.group())
				.isTrue();
		}
	}

	@Test
	void modulesExist() throws IOException {
		StringBuilder modules = new StringBuilder();
		try (DirectoryStream<Path> folders = Files.newDirectoryStream(ROOT,
				(folder) -> Files.exists(folder.resolve("pom.xml")))) {
			for (Path folder : folders) {
				modules.append(Files.readString(folder.resolve("pom.xml")));
			}
		}
		for (PageBlock block : PageBlock.all()) {
			Matcher module = MODULE.matcher(block.text());
			while (module.find()) {
				assertThat(modules).as(block.toString()).contains("<artifactId>" + module.group(1) + "</artifactId>");
			}
		}
	}

	/**
	 * A member of an object may be shown without the object.
	 */
	@Test
	void jsonIsParsed() {
		assertThat(PageBlock.in("json")).isNotEmpty().allSatisfy((block) -> {
			String text = block.text().strip();
			String json = text.startsWith("{") ? text : "{" + text + "}";
			assertThat(JsonParserFactory.getJsonParser().parseMap(json)).as(block.toString()).isNotEmpty();
		});
	}

	@Test
	void otherLanguagesAreNotCompiled() {
		assertThat(PageBlock.all()).allSatisfy((block) -> assertThat(block.language()).as(block.toString())
			.isIn("java", "kotlin", "xml", "json", "properties", "yaml", "sql", "groovy", "shell", "mermaid", ""));
	}

	@Test
	void fewBlocksAreNotCompiled() {
		assertThat(PageBlock.all()).filteredOn(PageBlock::isExempt).hasSizeLessThanOrEqualTo(0);
	}

	@Test
	void sourceCodeGuideNamesAllPackagesAndNoOthers() throws IOException {
		Path root = SOURCES.resolve(Path.of("io", "github", "lockspring"));
		String guide = Files.readString(ROOT.resolve("docs").resolve("how-it-works.md"))
			.split("## Source code guide")[1];
		Stream<String> named = guide.lines()
			.filter((line) -> line.startsWith("| ") && line.contains("`"))
			.flatMap((line) -> NAME.matcher(line.substring(line.lastIndexOf(" | "))).results())
			.map((name) -> name.group(1));
		try (Stream<Path> packages = Files.walk(root)) {
			assertThat(named).containsExactlyInAnyOrderElementsOf(
					packages.filter((folder) -> Files.exists(folder.resolve("package-info.java")))
						.map((folder) -> root.relativize(folder).toString().replace(File.separatorChar, '.'))
						.filter((name) -> !name.isEmpty())
						.toList());
		}
	}

}
