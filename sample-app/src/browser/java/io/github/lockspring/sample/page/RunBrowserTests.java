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

import java.util.regex.Pattern;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for runs on the page, as a visitor starts and watches them.
 */
@ExtendWith(BrowserExtension.class)
class RunBrowserTests {

	@Test
	void withoutLockTheShopOversellsAndTheTimelineIsRed(DemonstrationPage page) {
		Locator run = page.run("stock", "no-lock", 100, 5);
		assertThat(run).hasAttribute("data-verdict", "wrong");
		assertThat(page.locator("#timeline-panel")).hasAttribute("data-sections", "500");
		assertThat(Integer.parseInt(page.locator("#timeline-panel").getAttribute("data-overlaps"))).isPositive();
		page.awaitDrawn();
		assertThat(page.redPixels()).isPositive();
		assertThat(page.locator("#stat-stock")).not().hasText("0");
		assertThat(page.locator("#stat-errors")).hasText("0");
	}

	@Test
	void withLockTheShopIsExactAndNothingIsRed(DemonstrationPage page) {
		Locator run = page.run("stock", "distributed-lock", 100, 5);
		assertThat(run).hasAttribute("data-verdict", "exact");
		assertThat(page.locator("#timeline-panel")).hasAttribute("data-sections", "500");
		assertThat(page.locator("#timeline-panel")).hasAttribute("data-overlaps", "0");
		page.awaitDrawn();
		assertThat(page.redPixels()).isZero();
		assertThat(page.locator("#stat-stock")).hasText("0");
		assertThat(page.locator("#stat-errors")).hasText("0");
	}

	@Test
	void pageThatIsOpenedAfterARunShowsItsTimeline(DemonstrationPage page) {
		page.run("stock", "distributed-lock", 20, 5);
		page.page().reload();
		page.awaitIdle();
		assertThat(page.locator("#timeline-panel")).hasAttribute("data-sections", "100");
		assertThat(page.locator("#timeline-panel")).hasAttribute("data-overlaps", "0");
		assertThat(page.locator("#timeline-summary")).containsText("100 stays");
	}

	@ParameterizedTest
	@CsvSource({ "stock, no-lock", "stock, distributed-lock", "printer, no-lock", "printer, distributed-lock",
			"catalogue, no-lock", "catalogue, distributed-lock", "reminder, no-lock", "reminder, distributed-lock" })
	void everyRunIsShownAlsoAfterAReloadAndInAnotherBrowser(String scenario, String strategy, DemonstrationPage page) {
		page.run(scenario, strategy, 10, 10);
		String verdict = page.latest().getAttribute("data-verdict");
		assertThat(verdict).isIn("exact", "wrong");
		String charts = showsTheRun(page, scenario, strategy, verdict);
		page.page().reload();
		assertThat(showsTheRun(page, scenario, strategy, verdict)).isEqualTo(charts);
		try (DemonstrationPage other = page.openAnother()) {
			assertThat(showsTheRun(other, scenario, strategy, verdict)).isEqualTo(charts);
			assertThat(other.problems()).isEmpty();
		}
	}

	/**
	 * Assert that a page shows the run, and that the next can be started there.
	 * @return the latest values of its charts
	 */
	private static String showsTheRun(DemonstrationPage page, String scenario, String strategy, String verdict) {
		page.awaitIdle();
		assertThat(page.latest()).hasAttribute("data-scenario", scenario);
		assertThat(page.latest()).hasAttribute("data-strategy", strategy);
		assertThat(page.locator("#run-status .verdict")).hasAttribute("data-verdict", verdict);
		boolean customers = !scenario.equals("reminder");
		assertThat(page.locator("#stat-done")).hasText(customers ? "100 of 100" : "5 of 5");
		assertThat(page.locator("#stat-rate"))
			.isVisible(new LocatorAssertions.IsVisibleOptions().setVisible(customers));
		assertThat(page.locator("#chart-stock"))
			.isVisible(new LocatorAssertions.IsVisibleOptions().setVisible(scenario.equals("stock")));
		assertThat(page.locator("#chart-rate"))
			.isVisible(new LocatorAssertions.IsVisibleOptions().setVisible(customers));
		if (!customers) {
			return "";
		}
		assertThat(page.latestOf("chart-rate")).hasText(Pattern.compile("[\\d,.]+ /s"));
		assertThat(page.latestOf("chart-latency")).hasText(Pattern.compile("[\\d,.]+ ms"));
		return page.latestOf("chart-rate").textContent() + page.latestOf("chart-latency").textContent();
	}

	@Test
	void resultsAreThoseOfALoadTest(DemonstrationPage page) {
		page.run("stock", "guarded-update", 10, 10);
		assertThat(page.locator("#results thead th")).hasText(new String[] { "Run", "Scenario", "Strategy", "Verdict",
				"Samples", "Average", "Median", "90 %", "95 %", "99 %", "Min", "Max", "Error %", "Requests/s" });
		assertThat(page.latest().locator("td").nth(3)).hasText("100");
		for (int column = 4; column < 13; column++) {
			assertThat(page.latest().locator("td").nth(column)).hasText(Pattern.compile("[\\d,.]+"));
		}
		assertThat(page.locator("#machine"))
			.hasText(Pattern.compile("Measured on \\d+ processors, .*; \\S.*, JDK \\d.*"));
	}

	@Test
	void reminderSpeaksOfHours(DemonstrationPage page) {
		page.locator("#scenario").selectOption("reminder");
		assertThat(page.locator("#threads")).isHidden();
		assertThat(page.locator("#requests")).isHidden();
		assertThat(page.locator("#scenario-hint")).not().containsText("threads");
		page.locator("#scenario").selectOption("stock");
		assertThat(page.locator("#threads")).isVisible();
		assertThat(page.locator("#scenario-hint")).containsText("100 threads send 50 requests each");
	}

	@Test
	void partThatFailsDoesNotKeepTheOthersFromTheirWork(DemonstrationPage page) {
		page.locator("#stat-done").evaluate("(figure) => figure.remove()");
		assertThat(page.run("stock", "distributed-lock", 5, 5)).hasAttribute("data-verdict", "exact");
		page.awaitIdle();
		assertThat(page.locator("#timeline-panel")).hasAttribute("data-sections", "25");
		assertThat(page.latestOf("chart-rate")).hasText(Pattern.compile("[\\d,.]+ /s"));
		assertThat(page.takeProblems()).isNotEmpty();
	}

	@Test
	void chartsHaveNames(DemonstrationPage page) {
		for (String name : new String[] { "Stock in the database", "Requests per second", "Latency in milliseconds" }) {
			assertThat(page.page().getByRole(AriaRole.IMG, new Page.GetByRoleOptions().setName(name))).isVisible();
		}
	}

	@Test
	void nothingIsStartedBeforeAllInstancesServe(DemonstrationPage page) {
		String state = page.page().request().get("/demo").text().replaceFirst("(?s)(.*)\"serving\"", "$1\"starting\"");
		page.page()
			.route("**/demo/stream",
					(route) -> route.fulfill(new Route.FulfillOptions().setContentType("text/event-stream")
						.setBody("event:state\ndata:" + state + "\n\n")));
		page.page().reload();
		assertThat(page.locator("#start-hint")).containsText("Not serving now: instance 3");
		assertThat(page.locator("#start")).isDisabled();
		page.locator("#instances").fill("2");
		assertThat(page.locator("#start")).isEnabled();
		page.locator("#instances").fill("3");
		assertThat(page.locator("#start")).isDisabled();
		page.page().unroute("**/demo/stream");
		page.awaitIdle();
		assertThat(page.locator("#start-hint")).isHidden();
	}

	@Test
	void pageThatIsOpenedInTheMiddleOfARunShowsAllOfIt(DemonstrationPage page) {
		page.startAndAwaitSections("distributed-lock", 20, 50);
		page.page().reload();
		assertThat(page.awaitEnd()).hasAttribute("data-verdict", "exact");
		assertThat(page.locator("#timeline-panel")).hasAttribute("data-sections", "1000");
	}

	@Test
	void lastTwoRunsAreCompared(DemonstrationPage page) {
		page.run("stock", "no-lock", 20, 10);
		assertThat(page.locator("#run-again")).isVisible();
		page.locator("#run-again").click();
		assertThat(page.latest()).hasAttribute("data-strategy", "distributed-lock");
		assertThat(page.locator("#comparison")).containsText("versold");
		assertThat(page.locator("#comparison")).containsText("without a lock");
		assertThat(page.locator("#comparison")).containsText("exact with @DistributedLock");
	}

	@Test
	void figuresAndChartsMoveWhileTheRunLastsUntilItIsCancelled(DemonstrationPage page) {
		page.startAndAwaitSections("distributed-lock", 40, 250);
		String stock = page.picture("chart-stock");
		String rate = page.picture("chart-rate");
		String latency = page.picture("chart-latency");
		String figure = page.locator("#stat-stock").textContent();
		assertThat(page.locator("#stat-stock")).not().hasText(figure);
		page.awaitChange("chart-stock", stock);
		page.awaitChange("chart-rate", rate);
		page.awaitChange("chart-latency", latency);
		assertThat(figureOf(page, "#stat-stock")).isBetween(1, 9_999);
		page.locator("#cancel").click();
		page.awaitEnd();
		assertThat(page.latest()).hasAttribute("data-verdict", "cancelled");
	}

	@Test
	void runBeyondTheLimitsIsRefusedInWords(DemonstrationPage page) {
		page.start("stock", "no-lock", 201, 1);
		assertThat(page.locator("#message")).isVisible();
		assertThat(page.locator("#message")).containsText("200");
		assertThat(page.locator("#threads")).hasAttribute("aria-invalid", "true");
		assertThat(page.locator("#threads")).hasAttribute("aria-describedby", "message");
		assertThat(page.locator("#threads")).isFocused();
		page.locator("#threads").fill("1.5");
		page.locator("#start").click();
		assertThat(page.locator("#message")).containsText("must be a whole number from 1 to 200, not 1.5");
		page.start("stock", "no-lock", 200, 500);
		assertThat(page.locator("#message")).containsText("must be at most 20,000");
		assertThat(page.locator("#requests")).hasAttribute("aria-invalid", "true");
		assertThat(page.locator("#instances")).not().hasAttribute("aria-invalid", "true");
		page.locator("#language").click();
		assertThat(page.locator("#message")).containsText("最多为 20,000");
		assertThat(page.locator("#cancel")).isDisabled();
	}

	@Test
	void secondRunIsRefusedWhileOneIsUnderWay(DemonstrationPage page) {
		page.startAndAwaitSections("distributed-lock", 40, 250);
		assertThat(page.locator("#start")).isDisabled();
		// As for a visitor who was faster than the news of the first
		page.locator("#start").evaluate("(button) => { button.disabled = false; button.click(); }");
		assertThat(page.locator("#message")).containsText("Another run is under way");
		page.locator("#cancel").click();
		page.awaitEnd();
		assertThat(page.locator("#message")).isHidden();
	}

	@Test
	void otherScenariosAreWrongWithoutLockAndExactWithIt(DemonstrationPage page) {
		assertThat(page.run("printer", "no-lock", 10, 10)).hasAttribute("data-verdict", "wrong");
		assertThat(page.run("printer", "distributed-lock", 10, 10)).hasAttribute("data-verdict", "exact");
		assertThat(page.run("catalogue", "no-lock", 10, 30)).hasAttribute("data-verdict", "wrong");
		assertThat(page.run("catalogue", "distributed-lock", 10, 30)).hasAttribute("data-verdict", "exact");
		assertThat(page.locator("#timeline-panel")).hasAttribute("data-overlaps", "0");
	}

	@Test
	void runIsStartedWithTheKeyboardOnly(DemonstrationPage page) {
		page.locator("#strategy").selectOption("distributed-lock");
		page.page().reload();
		page.awaitIdle();
		tabTo(page, "threads");
		page.page().keyboard().type("10");
		tabTo(page, "requests");
		page.page().keyboard().type("5");
		tabTo(page, "start");
		page.awaitNext(() -> page.page().keyboard().press("Enter"));
		assertThat(page.locator("#stat-done")).containsText("50 of 50");
	}

	private static void tabTo(DemonstrationPage page, String id) {
		for (int presses = 0; presses < 20; presses++) {
			page.page().keyboard().press("Tab");
			if (page.page().evaluate("document.activeElement.id").equals(id)) {
				return;
			}
		}
		throw new AssertionError("The focus does not reach #" + id);
	}

	private static int figureOf(DemonstrationPage page, String selector) {
		return Integer.parseInt(page.locator(selector).textContent().replace(",", ""));
	}

}
