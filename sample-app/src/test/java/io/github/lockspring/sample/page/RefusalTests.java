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
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.ClassPathResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Refusal}.
 */
class RefusalTests {

	private static final Pattern ARGUMENT = Pattern.compile("\\{\\w+}");

	@ParameterizedTest
	@ValueSource(strings = { "en", "zh" })
	void pageHasATextWithTheSameArgumentsForEachCode(String language) throws IOException {
		JsonNode texts = texts(language);
		assertThat(texts.propertyNames())
			.containsExactlyInAnyOrderElementsOf(Arrays.stream(Refusal.values()).map(Refusal::code).toList());
		assertThat(Refusal.values()).allSatisfy((refusal) -> assertThat(arguments(texts.get(refusal.code()).asString()))
			.hasSameElementsAs(arguments(refusal.sentence())));
	}

	private static JsonNode texts(String language) throws IOException {
		try (InputStream file = new ClassPathResource("static/i18n/%s.json".formatted(language)).getInputStream()) {
			return JsonMapper.shared().readTree(file).get("refusal");
		}
	}

	private static List<String> arguments(String sentence) {
		return ARGUMENT.matcher(sentence).results().map(MatchResult::group).toList();
	}

}
