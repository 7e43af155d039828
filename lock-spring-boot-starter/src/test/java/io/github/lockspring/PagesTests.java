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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.github.lockspring.support.MarkdownPage;
import io.github.lockspring.support.MarkdownPage.Line;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of all pages: their links lead somewhere, they are short, each sentence has a
 * line, and they name the version of the project.
 */
class PagesTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	private static final List<MarkdownPage> PAGES = MarkdownPage.all(ROOT);

	private static final int MOST_WORDS = 2500;

	private static final Pattern OUTSIDE = Pattern.compile("[a-z]+:.*");

	/**
	 * Tables, headings, comments, and lines in Chinese.
	 */
	private static final Pattern NO_SENTENCES = Pattern.compile("\\s*(\\||#|\\[//\\]:|<!--).*|.*\\p{IsHan}.*");

	private static final Pattern NOT_AN_END = Pattern.compile("^[\\s>]*([-*+]|\\d+\\.) |\\b(e\\.g|i\\.e|etc|vs|cf)\\.");

	private static final Pattern NEXT_SENTENCE = Pattern.compile("[.!?][*\")\\]]* +[*\"(\\[]*\\p{Lu}");

	private static final Pattern STARTER = Pattern.compile("(?:<artifactId>lock-spring-boot-starter</artifactId>\\s*"
			+ "<version>|io\\.github\\.lockspring:lock-spring-boot-starter:)([\\w.-]+)");

	private static final Pattern VERSION = Pattern
		.compile("<artifactId>lock-spring-boot-parent</artifactId>\\s*<version>([^<]+)<");

	@Test
	void allPagesAreFound() {
		assertThat(PAGES.stream().map((page) -> ROOT.relativize(page.file()).toString())).contains("README.md",
				"CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "sample-app/README.md", "docs/annotation.md",
				"docs/backends/README.md");
	}

	@Test
	void linksLeadToFilesAndHeadings() {
		assertThat(PAGES.stream().flatMap(PagesTests::brokenLinks)).isEmpty();
	}

	@Test
	void brokenLinksAreFound() {
		MarkdownPage page = page("""
				# Values, and their `Lines`
				## 锁的类型（概览）
				## Values, and their `Lines`
				[file](docs/async.md), [heading](docs/annotation.md#attributes), [folder](docs), [site](https://a.b)
				[this](#values-and-their-lines), [second](#values-and-their-lines-1), [锁](#锁的类型概览)
				`[code](none.md)` <img src="docs/images/history.svg">
				```
				[block](none.md)
				```
				[file](none.md), [`heading`](docs/annotation.md#none), ![image](docs/none.png)
				[this](#lines), [third](#values-and-their-lines-2)
				<picture><source srcset="docs/none.svg"><img src="none.svg"></picture>

				[reference]: none
				""");
		assertThat(brokenLinks(page)).containsExactly("README.md:10: none.md", "README.md:10: docs/annotation.md#none",
				"README.md:10: docs/none.png", "README.md:11: #lines", "README.md:11: #values-and-their-lines-2",
				"README.md:12: docs/none.svg", "README.md:12: none.svg", "README.md:14: none");
	}

	@Test
	void pagesAreShort() {
		assertThat(PAGES.stream().flatMap(PagesTests::tooManyWords)).isEmpty();
	}

	@Test
	void longPagesAreFound() {
		assertThat(tooManyWords(page("word ".repeat(MOST_WORDS)))).isEmpty();
		assertThat(tooManyWords(page("word ".repeat(MOST_WORDS) + "word"))).containsExactly("README.md: 2501 words");
		assertThat(tooManyWords(page("锁，".repeat(2 * MOST_WORDS)))).isEmpty();
		assertThat(tooManyWords(page("锁，".repeat(2 * MOST_WORDS) + "lock"))).containsExactly("README.md: 2501 words");
	}

	@Test
	void sentencesHaveTheirOwnLines() {
		assertThat(PAGES.stream().flatMap(PagesTests::sharedLines)).isEmpty();
	}

	@Test
	void sentencesOnOneLineAreFound() {
		MarkdownPage page = page("""
				# A heading. It is short
				1. Item of Java 1.7, e.g. Redis
				| a cell. With two sentences |
				它是锁. Redis
				```
				Code. Block
				```
				One. Two
				- **One.** Two
				> 1. One (of `all`). *Two*
				Is it? `Yes`
				""");
		assertThat(sharedLines(page)).containsExactly("README.md:8: One. Two", "README.md:9: - **One.** Two",
				"README.md:10: > 1. One (of `all`). *Two*", "README.md:11: Is it? `Yes`");
	}

	@Test
	void versionIsThatOfTheProject() throws IOException {
		String version = version();
		assertThat(PAGES.stream().flatMap((page) -> otherVersions(page, version))).isEmpty();
		assertThat(PAGES.stream().flatMap((page) -> otherVersions(page, "none"))).isNotEmpty();
	}

	@Test
	void otherVersionsAreFound() {
		MarkdownPage page = page("""
				  <artifactId>lock-spring-boot-starter</artifactId>
				  <version>1.0.0-SNAPSHOT</version>

				  <artifactId>curator-framework</artifactId>
				  <version>5.9.0</version>

				implementation("io.github.lockspring:lock-spring-boot-starter:1.0.0")
				""");
		assertThat(otherVersions(page, "1.0.0")).containsExactly("README.md: 1.0.0-SNAPSHOT");
		assertThat(otherVersions(page, "1.0.0-SNAPSHOT")).containsExactly("README.md: 1.0.0");
	}

	private static MarkdownPage page(String text) {
		return new MarkdownPage(ROOT.resolve("README.md"), text);
	}

	private static Stream<String> brokenLinks(MarkdownPage page) {
		return page.targets().filter((target) -> !exists(page, target.text())).map((target) -> at(page, target));
	}

	private static boolean exists(MarkdownPage page, String target) {
		if (OUTSIDE.matcher(target).matches()) {
			return true;
		}
		String[] parts = target.split("#", 2);
		Path file = parts[0].isEmpty() ? page.file() : page.file().resolveSibling(parts[0]).normalize();
		if (parts.length == 1 || !file.toString().endsWith(".md") || !Files.exists(file)) {
			return Files.exists(file);
		}
		return (file.equals(page.file()) ? page : MarkdownPage.read(file)).hasAnchor(parts[1]);
	}

	private static Stream<String> tooManyWords(MarkdownPage page) {
		return Stream.of(page.words())
			.filter((words) -> words > MOST_WORDS)
			.map((words) -> nameOf(page) + ": " + words + " words");
	}

	private static Stream<String> sharedLines(MarkdownPage page) {
		return page.lines().filter((line) -> hasSeveralSentences(line.text())).map((line) -> at(page, line));
	}

	private static boolean hasSeveralSentences(String line) {
		String text = NOT_AN_END.matcher(MarkdownPage.withoutCode(line, "Code")).replaceAll("");
		return !NO_SENTENCES.matcher(line).matches() && NEXT_SENTENCE.matcher(text).find();
	}

	private static Stream<String> otherVersions(MarkdownPage page, String version) {
		return STARTER.matcher(page.text())
			.results()
			.map((match) -> match.group(1))
			.filter((other) -> !other.equals(version))
			.map((other) -> nameOf(page) + ": " + other);
	}

	private static String version() throws IOException {
		Matcher matcher = VERSION.matcher(Files.readString(ROOT.resolve("pom.xml")));
		assertThat(matcher.find()).isTrue();
		return matcher.group(1);
	}

	private static String at(MarkdownPage page, Line line) {
		return nameOf(page) + ':' + line.number() + ": " + line.text();
	}

	private static String nameOf(MarkdownPage page) {
		return ROOT.relativize(page.file()).toString();
	}

}
