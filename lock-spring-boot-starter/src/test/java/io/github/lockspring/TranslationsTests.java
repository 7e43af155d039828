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
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a page in Chinese has what the page in English has, to which it links in its
 * first lines: the same headings, tables and code, except for comments in the code.
 */
class TranslationsTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final int FIRST_LINES = 3;

	private static final Pattern ORIGINAL = Pattern.compile("\\[English]\\(([^)]+)\\)");

	/**
	 * Code with its language. That of diagrams is text.
	 */
	private static final Pattern CODE = Pattern.compile("(?ms)^ *```(?!mermaid)(\\w*\\n.*?)^ *```");

	private static final Pattern COMMENT = Pattern.compile("(?m)(?<!:)//.*|(?<=^|\\s)(?:#|--)(?: .*)?$|<!--.*?-->");

	private static final Pattern HEADING = Pattern.compile("(?m)^#+(?= )");

	private static final Pattern TABLE_ROW = Pattern.compile("(?m)^\\|");

	private static final Pattern LINK_TO_PAGE = Pattern.compile("]\\(([^:#)]+\\.md)(?:#[^)]*)?\\)");

	static List<Path> translations() throws IOException {
		try (Stream<Path> pages = Files.walk(ROOT.resolve("docs").resolve("zh-CN"))) {
			return Stream
				.concat(Stream.of(ROOT.resolve("README.zh-CN.md")),
						pages.filter((page) -> page.toString().endsWith(".md")).sorted())
				.toList();
		}
	}

	@ParameterizedTest
	@MethodSource("translations")
	void headingsHaveTheSameLevels(Path translation) {
		assertThat(headings(translation)).isEqualTo(headings(originalOf(translation)));
	}

	@ParameterizedTest
	@MethodSource("translations")
	void tablesHaveTheSameRows(Path translation) {
		assertThat(tableRows(translation)).isEqualTo(tableRows(originalOf(translation)));
	}

	@ParameterizedTest
	@MethodSource("translations")
	void codeIsTheSame(Path translation) {
		assertThat(code(translation)).isEqualTo(code(originalOf(translation)));
	}

	@ParameterizedTest
	@MethodSource("translations")
	void linksLeadToTranslations(Path translation) throws IOException {
		List<Path> translated = translations().stream().map(TranslationsTests::originalOf).toList();
		assertThat(matches(LINK_TO_PAGE, text(translation), 1).map(translation::resolveSibling)
			.map(Path::normalize)
			.filter((page) -> !page.equals(originalOf(translation)))).doesNotContainAnyElementsOf(translated);
	}

	private static Path originalOf(Path translation) {
		String beginning = String.join("\n", text(translation).lines().limit(FIRST_LINES).toList());
		Matcher link = ORIGINAL.matcher(beginning);
		assertThat(link.find()).as("%s names its original", translation).isTrue();
		Path original = translation.resolveSibling(link.group(1)).normalize();
		assertThat(original).exists().isNotEqualTo(translation);
		return original;
	}

	private static List<String> headings(Path page) {
		return matches(HEADING, textWithoutCode(page), 0).toList();
	}

	private static long tableRows(Path page) {
		return matches(TABLE_ROW, textWithoutCode(page), 0).count();
	}

	private static List<String> code(Path page) {
		return matches(CODE, text(page), 1).map((code) -> COMMENT.matcher(code).replaceAll(""))
			.map((code) -> String.join("\n", code.lines().map(String::stripTrailing).toList()))
			.toList();
	}

	private static String textWithoutCode(Path page) {
		return CODE.matcher(text(page)).replaceAll("");
	}

	private static Stream<String> matches(Pattern pattern, String text, int group) {
		return pattern.matcher(text).results().map((MatchResult match) -> match.group(group));
	}

	private static String text(Path page) {
		try {
			return Files.readString(page);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
