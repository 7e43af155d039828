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

package io.github.lockspring.autoconfigure;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.spi.LockConfigurationException;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SpringBootGeneration}.
 */
class SpringBootGenerationTests {

	@Test
	void applicationWithSpringBoot3IsRejected() throws Exception {
		try (ClassPathApplications applications = new ClassPathApplications(
				ClassPathApplications.previousGeneration())) {
			assertThatException()
				.isThrownBy(() -> applications.run(MinimalApplication.class, Stream.of("lock.backend=local")))
				.havingRootCause()
				.withMessageStartingWith("This version of lock-spring-boot-starter is for Spring Boot 4. "
						+ "The application has Spring Boot 3.");
		}
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "4.0.7", "4.1.1", "4.2.0-M1", "4.10.0-SNAPSHOT" })
	void generationIsAccepted(String version) {
		assertThatCode(() -> SpringBootGeneration.require(version)).doesNotThrowAnyException();
	}

	@ParameterizedTest
	@ValueSource(strings = { "2.7.18", "3.5.7", "5.0.0", "40.0.0" })
	void anotherGenerationIsRejected(String version) {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> SpringBootGeneration.require(version))
			.withMessageContaining(version);
	}

}
