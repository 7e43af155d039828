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

package io.github.lockspring.spi;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ProcessName}.
 */
class ProcessNameTests {

	@Test
	void textIsReadable() {
		assertThat(new ProcessName("orders", "node-1.example.org", 4711)).hasToString("orders@node-1.example.org:4711");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "orders", "a b", "a@b:1", "ü", "x!", "\n", "100%", "%41", "\ud83d\ude00" })
	void textIsReadBack(String text) {
		ProcessName name = new ProcessName(text, text, Long.MAX_VALUE / 10);
		assertThat(name.toString()).matches("[!-~]*").doesNotContain("!");
		assertThat(ProcessName.parse(name.toString())).isEqualTo(name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "ü", "\u20ac", "\ud83d\ude00" })
	void longNamesAreCut(String character) {
		ProcessName name = new ProcessName(character.repeat(1_000), 'x' + character.repeat(1_000),
				999_999_999_999_999_999L);
		assertThat(name.application()).isNotEmpty().matches("(" + character + ")+");
		assertThat(name.toString().length()).isLessThanOrEqualTo(ProcessName.MAX_LENGTH);
		assertThat(ProcessName.parse(name.toString())).isEqualTo(name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "4711@host", "a@b", "a@b:", "a@b:x", "a@b:1 ", "a b@c:1", "%4@b:1", "@:" })
	void otherTextsAreNotRead(String text) {
		assertThat(ProcessName.parse(text)).isNull();
	}

	@Test
	void nameOfThisProcess() {
		ProcessName name = ProcessName.current("orders");
		assertThat(name.application()).isEqualTo("orders");
		assertThat(name.host()).isNotEmpty();
		assertThat(name.pid()).isEqualTo(ProcessHandle.current().pid());
	}

}
