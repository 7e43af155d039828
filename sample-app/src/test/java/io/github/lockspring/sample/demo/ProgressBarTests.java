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

package io.github.lockspring.sample.demo;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ProgressBar}.
 */
class ProgressBarTests {

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	@Test
	void terminalShowsOneLineThatFillsUp() {
		fill(new ProgressBar(new PrintStream(this.out), true, "test", 1000));
		String[] states = this.out.toString().split("\r");
		assertThat(states).hasSize(102);
		assertThat(states[51]).contains("[####################....................]  50 %");
		assertThat(states[101]).endsWith("100 %\n");
	}

	@Test
	void elsewhereAFewLinesAreEnough() {
		fill(new ProgressBar(new PrintStream(this.out), false, "test", 1000));
		assertThat(this.out.toString().lines().map((line) -> line.replaceAll(" +", " "))).containsExactly("test 25 %",
				"test 50 %", "test 75 %", "test 100 %");
	}

	private void fill(ProgressBar bar) {
		IntStream.rangeClosed(1, 1000).forEach(bar::update);
	}

}
