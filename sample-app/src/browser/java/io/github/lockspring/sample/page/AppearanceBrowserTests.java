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

package io.github.lockspring.sample.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import com.deque.html.axecore.playwright.AxeBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the languages and themes of the page, and for whom it can be used by.
 */
@ExtendWith(BrowserExtension.class)
class AppearanceBrowserTests {

	private static final Pattern CHINESE = Pattern.compile("zh(-.*)?");

	private static final int PHONE = 390;

	@Test
	void languageIsSwitchedAndRemembered(DemonstrationPage page) {
		assertThat(page.locator("html")).hasAttribute("lang", "en");
		String title = page.locator("h1").textContent();
		page.locator("#language").click();
		assertThat(page.locator("html")).hasAttribute("lang", CHINESE);
		assertThat(page.locator("h1")).not().hasText(title);
		page.page().reload();
		assertThat(page.locator("html")).hasAttribute("lang", CHINESE);
		page.awaitIdle();
		page.locator("#language").click();
		assertThat(page.locator("h1")).hasText(title);
	}

	@Test
	void languageOfABrowserWithoutLocaleIsEnglish(DemonstrationPage page) {
		try (DemonstrationPage other = page.openAnother("en-US@posix")) {
			other.awaitIdle();
			assertThat(other.locator("html")).hasAttribute("lang", "en");
			assertThat(other.locator("#chart-latency canvas")).isVisible();
			assertThat(other.problems()).isEmpty();
		}
	}

	@Test
	void everythingIsInTheLanguageOfThePage(DemonstrationPage page) {
		page.run("stock", "no-lock", 20, 10);
		page.run("stock", "distributed-lock", 20, 10);
		assertThat(keysShown(page)).isEmpty();
		page.locator("#language").click();
		assertThat(page.locator("html")).hasAttribute("lang", CHINESE);
		assertThat(keysShown(page)).isEmpty();
		assertThat(texts(page, "[data-i18n]")).isNotEmpty().allMatch(AppearanceBrowserTests::isChinese);
		assertThat(texts(page, "#comparison, #timeline-summary, #results thead th:nth-child(-n+4), #scenario-hint"))
			.isNotEmpty()
			.allMatch(AppearanceBrowserTests::isChinese);
	}

	/**
	 * Return the keys of texts that are shown instead of the texts.
	 */
	@SuppressWarnings("unchecked")
	private static List<String> keysShown(DemonstrationPage page) {
		return (List<String>) page.page()
			.evaluate(
					"""
							async () => {
							  const texts = await (await fetch('i18n/en.json')).json();
							  const keysOf = (node, key) => (typeof node === 'string') ? [key]
							      : Object.keys(node).flatMap((name) => keysOf(node[name], key ? `${key}.${name}` : name));
							  const groups = Object.keys(texts).join('|');
							  const words = document.body.innerText.split(/\\s+/);
							  return words.filter((word) => new RegExp(`^(${groups})\\\\.[a-z]`).test(word) || keysOf(texts, '').includes(word));
							}""");
	}

	@SuppressWarnings("unchecked")
	private static List<String> texts(DemonstrationPage page, String selector) {
		return (List<String>) page.locator(selector)
			.evaluateAll("(all) => all.filter((one) => one.checkVisibility()).map((one) => one.innerText.trim())");
	}

	private static boolean isChinese(String text) {
		return text.codePoints().anyMatch((point) -> Character.UnicodeScript.of(point) == Character.UnicodeScript.HAN);
	}

	@Test
	void themeIsSwitchedAndRemembered(DemonstrationPage page) {
		assertThat(page.locator("html")).hasAttribute("data-theme", "light");
		String light = background(page);
		page.locator("#theme").click();
		assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
		assertThat(background(page)).isNotEqualTo(light);
		page.page().reload();
		assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
	}

	private static String background(DemonstrationPage page) {
		return (String) page.page().evaluate("getComputedStyle(document.body).backgroundColor");
	}

	@Test
	void pageIsAccessible(DemonstrationPage page) {
		assertThat(barriers(page)).as("before a run").isEmpty();
		page.run("stock", "no-lock", 20, 10);
		page.run("stock", "distributed-lock", 20, 10);
		assertThat(barriers(page)).as("light").isEmpty();
		page.locator("#theme").click();
		assertThat(barriers(page)).as("dark").isEmpty();
		page.resize(PHONE, 844);
		assertThat(barriers(page)).as("phone, dark").isEmpty();
		page.locator("#theme").click();
		assertThat(barriers(page)).as("phone, light").isEmpty();
	}

	private static List<String> barriers(DemonstrationPage page) {
		return new AxeBuilder(page.page()).analyze()
			.getViolations()
			.stream()
			.filter((rule) -> List.of("serious", "critical").contains(rule.getImpact()))
			.flatMap((rule) -> rule.getNodes()
				.stream()
				.map((node) -> rule.getId() + " " + node.getHtml() + " " + node.getFailureSummary()))
			.toList();
	}

	@Test
	void phoneShowsEverythingWithoutScrollingSideways(DemonstrationPage page) {
		page.resize(PHONE, 844);
		page.run("stock", "no-lock", 20, 10);
		page.run("stock", "distributed-lock", 20, 10);
		assertThat(page.page().evaluate("document.documentElement.scrollWidth")).isEqualTo(PHONE);
		page.locator("#language").click();
		assertThat(page.locator("html")).hasAttribute("lang", CHINESE);
		assertThat(page.page().evaluate("document.documentElement.scrollWidth")).isEqualTo(PHONE);
	}

	@Test
	@EnabledIfSystemProperty(named = "sample.screenshots", matches = "true")
	void picturesForTheDocumentation(DemonstrationPage page) throws IOException {
		page.run("stock", "distributed-lock", 20, 10);
		page.run("stock", "no-lock", 20, 10);
		picture(page, "light");
		page.locator("#theme").click();
		picture(page, "dark");
		page.locator("#theme").click();
		page.resize(PHONE, 844);
		picture(page, "phone");
	}

	private static void picture(DemonstrationPage page, String name) throws IOException {
		Path file = Path.of(System.getProperty("sample.images", "../docs/images"), "demonstration-" + name + ".png");
		page.awaitDrawn();
		page.screenshotUntil("#side-by-side", file);
		assertThat(Files.size(file)).isBetween(10_000L, 300_000L);
	}

}
