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

package io.github.lockspring.simulator.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that faults of the starter are found: some, or all with
 * {@code -Dsimulator.mutants=all}.
 */
class MutantSimulationTests {

	private static final boolean ALL = "all".equals(System.getProperty("simulator.mutants"));

	@ParameterizedTest
	@MethodSource
	void faultIsFound(Mutant mutant) throws IOException, ReflectiveOperationException {
		assertThat(mutant.find(mutant.instrument(), mutant.argument(), mutant.seeds())).isPositive();
	}

	@Test
	void pageNamesAllMutants() throws IOException {
		List<String> rows = Files.readAllLines(Path.of("../docs/reliability-mutants.md"));
		assertThat(rows.stream().filter((row) -> row.matches("\\| `[-a-z]+` \\|.*")).toList())
			.containsExactlyElementsOf(Mutant.all().map(Mutant::row).toList());
	}

	static Stream<Mutant> faultIsFound() throws IOException {
		return Mutant.all().filter((mutant) -> ALL || mutant.isSmoke());
	}

}
