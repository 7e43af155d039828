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

package io.github.lockspring.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisScript}.
 */
class RedisScriptTests {

	private static final Pattern COMMAND = Pattern.compile("redis\\.p?call\\(([^,()]*)(?:, ([^,()]*))?");

	/**
	 * The rule by which a service rejects texts: each command is named, and its key is an
	 * element of {@code KEYS}, neither a variable nor an expression.
	 */
	@ParameterizedTest
	@EnumSource(RedisScript.class)
	void eachKeyOfAScriptWithOneKeyIsAnElementOfKeys(RedisScript script) {
		String text = new String(script.text(1), StandardCharsets.UTF_8);
		List<MatchResult> commands = COMMAND.matcher(text).results().toList();
		assertThat(commands).isNotEmpty();
		for (MatchResult command : commands) {
			assertThat(command.group(1)).as(command.group()).matches("'[A-Z]+'");
			if (!List.of("'TIME'", "'PUBLISH'").contains(command.group(1))) {
				assertThat(command.group(2)).as(command.group()).matches("KEYS\\[[12]]");
			}
		}
	}

	@ParameterizedTest
	@EnumSource(RedisScript.class)
	void textForSeveralKeysHasTheSameCommands(RedisScript script) {
		assertThat(commands(script.text(2))).isEqualTo(commands(script.text(1)));
	}

	private static List<String> commands(byte[] text) {
		return COMMAND.matcher(new String(text, StandardCharsets.UTF_8))
			.results()
			.map((command) -> command.group(1))
			.toList();
	}

}
