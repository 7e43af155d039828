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

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.support.MarkdownPage;
import io.github.lockspring.support.MarkdownPage.Line;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a page in Chinese has what the page in English has, to which it links in its
 * first lines: the same headings, tables and code, except for comments in the code.
 */
class TranslationsTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final int FIRST_LINES = 3;

	private static final Pattern ORIGINAL = Pattern.compile("\\[English]\\(([^)]+)\\)");

	private static final Pattern HEADING = Pattern.compile("(#+) .*");

	/**
	 * Code with its language. That of diagrams is text.
	 */
	private static final Pattern CODE = Pattern.compile("(?ms)^ *```(?!mermaid)(\\w*\\n.*?)^ *```");

	private static final Pattern COMMENT = Pattern.compile("(?m)(?<!:)//.*|(?<=^|\\s)(?:#|--)(?: .*)?$|<!--.*?-->");

	static List<Path> translations() {
		return MarkdownPage.all(ROOT)
			.stream()
			.map(MarkdownPage::file)
			.filter((file) -> file.toString().contains("zh-CN"))
			.toList();
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
	void linksLeadToTranslations(Path translation) {
		List<Path> translated = translations().stream().map(TranslationsTests::originalOf).toList();
		assertThat(MarkdownPage.read(translation)
			.targets()
			.map((target) -> translation.resolveSibling(target.text().replaceFirst("#.*", "")).normalize())
			.filter((page) -> !page.equals(originalOf(translation)))).doesNotContainAnyElementsOf(translated);
	}

	private static Path originalOf(Path translation) {
		List<String> lines = lines(translation).limit(FIRST_LINES).toList();
		Matcher link = ORIGINAL.matcher(String.join("\n", lines));
		assertThat(link.find()).as("%s links to its original", translation).isTrue();
		Path original = translation.resolveSibling(link.group(1)).normalize();
		assertThat(original).exists().isNotEqualTo(translation);
		return original;
	}

	private static List<String> headings(Path page) {
		return lines(page).map(HEADING::matcher).filter(Matcher::matches).map((line) -> line.group(1)).toList();
	}

	private static long tableRows(Path page) {
		return lines(page).filter((line) -> line.startsWith("|")).count();
	}

	private static Stream<String> lines(Path page) {
		return MarkdownPage.read(page).lines().map(Line::text);
	}

	private static List<String> code(Path page) {
		return CODE.matcher(MarkdownPage.read(page).text())
			.results()
			.map((code) -> COMMENT.matcher(code.group(1)).replaceAll(""))
			.map((code) -> String.join("\n", code.lines().map(String::stripTrailing).toList()))
			.toList();
	}

}
