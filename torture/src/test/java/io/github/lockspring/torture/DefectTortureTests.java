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

package io.github.lockspring.torture;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.lockspring.simulator.history.Finding;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Defects that are put into workers are found, without any faults.
 */
class DefectTortureTests {

	@ParameterizedTest
	@CsvSource({ "RENEWS_NOTHING,exclusion", "SAME_TOKENS,tokens" })
	void defectIsFound(Defect defect, String rule) throws Exception {
		assertThat(TortureMain.torture(StoreType.LETTUCE, 1, Duration.ofSeconds(10), defect).violations())
			.extracting(Finding::rule)
			.contains(rule);
	}

}
