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

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Gives each test a {@link DemonstrationPage} of its own, in one Chromium and of one
 * application for all tests. Tests are skipped on a machine without Chromium. A test
 * fails if the page has reported an error.
 */
class BrowserExtension implements BeforeAllCallback, AfterEachCallback, ParameterResolver {

	private static final Namespace NAMESPACE = Namespace.create(BrowserExtension.class);

	private static final Path CHROMIUM = Path.of(System.getProperty("sample.chromium", "/usr/bin/chromium"));

	private static final double TIMEOUT_MILLIS = 120_000;

	@Override
	public void beforeAll(ExtensionContext context) {
		assumeTrue(Files.isExecutable(CHROMIUM),
				() -> "There is no Chromium at %s; -Dsample.chromium= tells where it is".formatted(CHROMIUM));
		PlaywrightAssertions.setDefaultAssertionTimeout(TIMEOUT_MILLIS);
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == DemonstrationPage.class;
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		Session session = context.getRoot()
			.getStore(NAMESPACE)
			.computeIfAbsent(Session.class, (type) -> Session.start(), Session.class);
		DemonstrationPage page = DemonstrationPage.open(session.browser(), session.application().address(),
				TIMEOUT_MILLIS);
		context.getStore(NAMESPACE).put(DemonstrationPage.class, page);
		page.awaitIdle();
		return page;
	}

	@Override
	public void afterEach(ExtensionContext context) {
		Store store = context.getStore(NAMESPACE);
		DemonstrationPage page = store.get(DemonstrationPage.class, DemonstrationPage.class);
		if (page == null) {
			return;
		}
		List<String> problems = page.problems();
		if (context.getExecutionException().isPresent()) {
			page.screenshot(Path.of("target/browser", context.getRequiredTestMethod().getName() + ".png"));
		}
		page.close();
		assertThat(problems).as("errors on the page").isEmpty();
	}

	/**
	 * The browser and the application, which end after the last test.
	 */
	private record Session(Playwright playwright, Browser browser,
			ApplicationProcess application) implements AutoCloseable {

		static Session start() {
			ApplicationProcess application = ApplicationProcess.start();
			Playwright playwright = Playwright
				.create(new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
			Browser browser = playwright.chromium()
				.launch(new BrowserType.LaunchOptions().setExecutablePath(CHROMIUM).setArgs(List.of("--no-sandbox")));
			return new Session(playwright, browser, application);
		}

		@Override
		public void close() {
			this.playwright.close();
			this.application.close();
		}

	}

}
