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

import com.microsoft.playwright.Locator;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

/**
 * Tests for the experiments on the page, of which one runs for each store.
 */
@ExtendWith(BrowserExtension.class)
class LessonBrowserTests {

	@ParameterizedTest
	@CsvSource({ "lua-release, two-inside", "unique-row, stuck", "sequential-node, stuck" })
	void homemadeLockFailsAndThatOfTheStarterIsExact(String id, String verdict, DemonstrationPage page) {
		Locator experiment = page.locator("[data-experiment=%s]".formatted(id));
		assertThat(page.locator("#lesson article")).hasCount(12);
		experiment.locator("button").focus();
		page.page().keyboard().press("Enter");
		assertThat(page.locator("#lesson button:disabled")).hasCount(12);
		assertThat(experiment.locator("[data-side=homemade]")).hasAttribute("data-verdict", verdict);
		assertThat(experiment.locator("[data-side=starter]")).hasAttribute("data-verdict", "exact");
		assertThat(experiment.locator("[data-side=homemade] .lane")).not().hasCount(0);
		assertThat(experiment.locator("a[href*='/homemade/']")).isVisible();
		assertThat(experiment.locator("button")).isFocused();
	}

}
