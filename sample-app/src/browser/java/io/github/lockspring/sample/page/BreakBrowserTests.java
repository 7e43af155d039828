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

import java.time.Duration;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Response;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

/**
 * Tests for what a visitor can break on the page, and for the locks shown there.
 */
@ExtendWith(BrowserExtension.class)
class BreakBrowserTests {

	@Test
	void holderThatIsPausedLosesItsLockAndTheRunIsExact(DemonstrationPage page) {
		page.startAndAwaitSections("distributed-lock", 20, 250);
		int paused = page.incident("paused").count();
		int resumed = page.incident("resumed").count();
		page.locator("[data-break=pause]").click();
		assertThat(page.incident("paused")).hasCount(paused + 1);
		assertThat(page.locator("#instance-list li[data-state=paused]")).hasCount(1);
		assertThat(page.incident("resumed")).hasCount(resumed + 1);
		assertThat(page.incident("lost").first()).isVisible();
		assertThat(page.incident("refused").first()).isVisible();
		assertThat(page.awaitEnd()).hasAttribute("data-verdict", "exact");
		assertThat(page.locator("#timeline-panel:not([data-lost='0'][data-refused='0'])")).hasCount(1);
		assertThat(page.locator("#timeline-panel")).hasAttribute("data-overlaps", "0");
		page.awaitIdle();
	}

	@Test
	void processThatIsKilledIsStartedAgainAndTheRunIsExact(DemonstrationPage page) {
		page.startAndAwaitSections("distributed-lock", 20, 250);
		int killed = page.incident("killed").count();
		int started = page.incident("started").count();
		page.locator("[data-break=kill]").click();
		assertThat(page.incident("killed")).hasCount(killed + 1);
		assertThat(page.incident("started")).hasCount(started + 1);
		assertThat(page.awaitEnd()).hasAttribute("data-verdict", "exact");
		assertThat(page.locator("#timeline-panel")).hasAttribute("data-overlaps", "0");
		page.awaitIdle();
	}

	@Test
	void storeThatIsStoppedDelaysTheRunOnly(DemonstrationPage page) {
		page.startAndAwaitSections("distributed-lock", 20, 250);
		int stopped = page.incident("store-stopped").count();
		int resumed = page.incident("store-resumed").count();
		page.locator("[data-break=stop-store]").click();
		assertThat(page.incident("store-stopped")).hasCount(stopped + 1);
		assertThat(page.incident("store-resumed")).hasCount(resumed + 1);
		assertThat(page.awaitEnd()).hasAttribute("data-verdict", "exact");
	}

	@Test
	void nothingCanBeBrokenWhileNoRunIsUnderWay(DemonstrationPage page) {
		for (String kind : new String[] { "pause", "kill", "stop-store" }) {
			assertThat(page.locator("[data-break=%s]".formatted(kind))).isDisabled();
		}
	}

	@Test
	void lockThatIsHeldIsShownAndReleasedByForce(DemonstrationPage page) {
		page.startAndAwaitSections("distributed-lock", 40, 250);
		page.locator("#explorer-panel").scrollIntoViewIfNeeded();
		assertThat(page.locator("#explorer tr[data-key*='stock:']").first()).isVisible();
		// In the moment between two holders there is nothing to release
		Awaitility.await().atMost(Duration.ofSeconds(90)).pollInSameThread().until(() -> release(page).status() == 204);
		assertThat(page.locator("#release-dialog")).isHidden();
	}

	private static Response release(DemonstrationPage page) {
		Locator button = page.locator("#explorer tr[data-key*='stock:'] button[data-force-release]").first();
		button.click();
		return page.page()
			.waitForResponse((response) -> response.request().method().equals("DELETE"),
					() -> page.locator("#release-confirm").click());
	}

}
