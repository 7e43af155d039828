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
package io.github.lockspring.benchmarks.process;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link Occupancy}.
 */
class OccupancyTests {

	@Test
	void holdsOneAfterTheOtherAreFine() {
		Occupancy occupancy = Occupancy.ofThisProcess();
		assertThatNoException().isThrownBy(() -> {
			occupancy.begin();
			occupancy.end();
			occupancy.begin();
			occupancy.end();
		});
	}

	@Test
	void secondHoldOfAnotherProcessIsNoticed(@TempDir Path directory) throws Exception {
		Path file = Files.createFile(directory.resolve("occupancy"));
		Occupancy.in(file).begin();
		Occupancy other = Occupancy.in(file);
		assertThatIllegalStateException().isThrownBy(other::begin);
	}

	@Test
	void uncheckedNoticesNothing() {
		Occupancy occupancy = Occupancy.unchecked();
		occupancy.begin();
		assertThatNoException().isThrownBy(occupancy::begin);
	}

}
