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

package io.github.lockspring.sample.lesson;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each homemade lock fails in its experiment, and that of the starter does
 * not.
 */
class LessonServerTests {

	private static final Lesson lesson = new Lesson();

	@AfterAll
	static void close() {
		lesson.close();
	}

	@ParameterizedTest
	@EnumSource(names = { "REENTRANT_HASH_RESTART", "CLEANED_ROW", "SEQUENTIAL_NODE" })
	void homemadeLockFailsAndThatOfTheStarterHolds(Experiment experiment) throws Exception {
		fails(experiment);
	}

	@Torture(alsoIn = "LessonServerTests#homemadeLockFailsAndThatOfTheStarterHolds")
	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "REENTRANT_HASH_RESTART", "CLEANED_ROW", "SEQUENTIAL_NODE" })
	void otherHomemadeLockFailsAndThatOfTheStarterHolds(Experiment experiment) throws Exception {
		fails(experiment);
	}

	private static void fails(Experiment experiment) throws Exception {
		Lesson.Result result = lesson.run(experiment);
		assertThat(result.homemade().verdict()).as("the homemade lock").isEqualTo(experiment.expected());
		assertThat(result.starter().verdict()).as("that of the starter").isEqualTo(Verdict.EXACT);
	}

}
