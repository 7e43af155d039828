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

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the page has texts for the lesson in both languages.
 */
class LessonTextsTests {

	@ParameterizedTest
	@ValueSource(strings = { "en", "zh" })
	void eachExperimentHasItsTexts(String language) throws IOException {
		JsonNode texts = texts(language);
		assertThat(Experiment.values()).allSatisfy((experiment) -> {
			assertThat(texts.get(experiment.id()).get("name").asString()).isNotBlank();
			assertThat(texts.get(experiment.id()).get("why").asString()).isNotBlank();
		});
		assertThat(texts.get("fault").propertyNames()).containsExactlyInAnyOrderElementsOf(ids(Fault.values()));
		assertThat(texts.get("verdict").propertyNames()).containsExactlyInAnyOrderElementsOf(ids(Verdict.values()));
	}

	@ParameterizedTest
	@EnumSource
	void homemadeLockHasAtMostSixtyLines(Experiment experiment) throws IOException {
		Path file = Path.of("src/main/java/io/github/lockspring/sample/homemade", experiment.code() + ".java");
		List<String> lines = Files.readAllLines(file);
		assertThat(lines.subList(lines.indexOf("/**"), lines.size())).hasSizeLessThanOrEqualTo(60);
	}

	private static JsonNode texts(String language) throws IOException {
		try (InputStream file = new ClassPathResource("static/i18n/%s.json".formatted(language)).getInputStream()) {
			return JsonMapper.shared().readTree(file).get("lesson");
		}
	}

	private static List<String> ids(Enum<?>[] values) {
		return Arrays.stream(values).map((value) -> value.name().toLowerCase(Locale.ROOT).replace('_', '-')).toList();
	}

}
