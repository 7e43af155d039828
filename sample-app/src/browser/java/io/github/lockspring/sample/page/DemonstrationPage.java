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

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

/**
 * The page of the demonstration in a browser, as a visitor uses it.
 */
final class DemonstrationPage implements AutoCloseable {

	private static final String REFUSAL = "Failed to load resource: the server responded with a status of 4";

	private static final int MARGIN = 8;

	private final Page page;

	private final double timeoutMillis;

	private final List<String> problems = new CopyOnWriteArrayList<>();

	private DemonstrationPage(Page page, double timeoutMillis) {
		this.page = page;
		this.timeoutMillis = timeoutMillis;
		page.onPageError(this.problems::add);
		page.onConsoleMessage(this::record);
	}

	static DemonstrationPage open(Browser browser, String address, double timeoutMillis) {
		return open(browser, address, timeoutMillis, "en-US");
	}

	private static DemonstrationPage open(Browser browser, String address, double timeoutMillis, String locale) {
		BrowserContext context = browser.newContext(new Browser.NewContextOptions().setBaseURL(address)
			.setLocale(locale)
			.setColorScheme(ColorScheme.LIGHT)
			.setViewportSize(1280, 900));
		context.setDefaultTimeout(timeoutMillis);
		DemonstrationPage page = new DemonstrationPage(context.newPage(), timeoutMillis);
		page.page.navigate("/");
		return page;
	}

	/**
	 * Record an error in the console. That the server has refused a request, with a
	 * sentence, is no error of the page.
	 */
	private void record(ConsoleMessage message) {
		boolean refused = message.text().startsWith(REFUSAL) && message.location().contains("/demo/");
		if (message.type().equals("error") && !refused) {
			this.problems.add(message.text() + " at " + message.location());
		}
	}

	/**
	 * Return the errors that were reported since the page was opened.
	 */
	List<String> problems() {
		return List.copyOf(this.problems);
	}

	/**
	 * Return the errors that were reported, which the test has caused, and forget them.
	 */
	List<String> takeProblems() {
		List<String> taken = problems();
		this.problems.clear();
		return taken;
	}

	/**
	 * Open the page in another browser.
	 */
	DemonstrationPage openAnother() {
		return openAnother("en-US");
	}

	DemonstrationPage openAnother(String locale) {
		URI address = URI.create(this.page.url());
		return open(this.page.context().browser(), address.getScheme() + "://" + address.getAuthority(),
				this.timeoutMillis, locale);
	}

	/**
	 * Return what to ask for anything that has no name here.
	 */
	Page page() {
		return this.page;
	}

	Locator locator(String selector) {
		return this.page.locator(selector);
	}

	/**
	 * Wait until no run is under way and all instances serve.
	 */
	void awaitIdle() {
		assertThat(locator("#start")).isEnabled();
		assertThat(locator("#instance-list li[data-state=serving]")).hasCount(3);
	}

	/**
	 * Fill the form and start a run.
	 */
	void start(String scenario, String strategy, int threads, int requests) {
		fill(scenario, strategy, threads, requests);
		locator("#start").click();
	}

	void fill(String scenario, String strategy, int threads, int requests) {
		locator("#scenario").selectOption(scenario);
		locator("#strategy").selectOption(strategy);
		if (locator("#threads").isVisible()) {
			locator("#threads").fill(String.valueOf(threads));
			locator("#requests").fill(String.valueOf(requests));
		}
		locator("#instances").fill("3");
	}

	/**
	 * Start a run of the shop and wait until somebody is inside.
	 */
	void startAndAwaitSections(String strategy, int threads, int requests) {
		start("stock", strategy, threads, requests);
		assertThat(locator("#cancel")).isEnabled();
		assertThat(locator("#timeline-panel")).not().hasAttribute("data-sections", "0");
	}

	/**
	 * Do a whole run.
	 * @return its row in the table of results
	 */
	Locator run(String scenario, String strategy, int threads, int requests) {
		return awaitNext(() -> start(scenario, strategy, threads, requests));
	}

	/**
	 * Wait until the table of results has the run that an action starts. The table keeps
	 * the last twenty, so that the number of its rows need not change.
	 */
	Locator awaitNext(Runnable action) {
		String before = latest().isVisible() ? latest().getAttribute("data-run") : "";
		action.run();
		assertThat(locator("#results tr[data-run]:first-child:not([data-run='%s'])".formatted(before))).isVisible();
		return latest();
	}

	/**
	 * Wait for the end of the run that is under way.
	 * @return its row in the table of results
	 */
	Locator awaitEnd() {
		assertThat(locator("#start")).isEnabled();
		return latest();
	}

	/**
	 * Return the row of the newest run, which is the first.
	 */
	Locator latest() {
		return locator("#results tr[data-run]").first();
	}

	Locator incident(String kind) {
		return locator("#incidents li[data-kind=" + kind + "]");
	}

	/**
	 * Return how many pixels of the timeline are red.
	 */
	int redPixels() {
		return ((Number) this.page.evaluate("""
				() => {
				  const canvas = document.getElementById('timeline');
				  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
				  let red = 0;
				  for (let i = 0; i < data.length; i += 4) {
				    red += (data[i] > 200 && data[i + 1] < 100 && data[i + 2] < 100 && data[i + 3] > 200) ? 1 : 0;
				  }
				  return red;
				}""")).intValue();
	}

	/**
	 * Wait until the page has drawn what it knows now.
	 */
	void awaitDrawn() {
		this.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
	}

	/**
	 * Return the picture of a chart, to compare it with a later one.
	 */
	String picture(String chart) {
		return (String) this.page.evaluate("(chart) => document.querySelector(`#${chart} canvas`).toDataURL()", chart);
	}

	/**
	 * Return the latest value that a chart shows.
	 */
	Locator latestOf(String chart) {
		return locator("#" + chart + " .u-legend .u-series:nth-child(2) .u-value");
	}

	/**
	 * Wait until a chart looks different.
	 */
	void awaitChange(String chart, String picture) {
		this.page.waitForFunction(
				"([chart, picture]) => document.querySelector(`#${chart} canvas`).toDataURL() !== picture",
				List.of(chart, picture));
	}

	void resize(int width, int height) {
		this.page.setViewportSize(width, height);
		awaitDrawn();
	}

	void screenshot(Path file) {
		this.page.screenshot(new Page.ScreenshotOptions().setPath(file).setFullPage(true));
	}

	/**
	 * Take a picture of the page from its top to the end of an element.
	 */
	void screenshotUntil(String selector, Path file) {
		this.page.evaluate("scrollTo(0, 0)");
		BoundingBox last = locator(selector).boundingBox();
		int width = this.page.viewportSize().width;
		this.page.screenshot(new Page.ScreenshotOptions().setPath(file)
			.setFullPage(true)
			.setClip(0, 0, width, last.y + last.height + MARGIN));
	}

	/**
	 * Leave the page, with no run under way.
	 */
	@Override
	public void close() {
		this.page.request().delete("/demo/runs/current");
		this.page.context().close();
	}

}
