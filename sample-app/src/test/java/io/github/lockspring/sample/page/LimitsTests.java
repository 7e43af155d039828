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

import java.util.Map;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Limits}.
 */
class LimitsTests {

	private static final Limits LIMITS = new Limits(200, 500, 3, 20_000, 180);

	@ParameterizedTest
	@CsvSource({ "1, 1, 1", "200, 100, 3", "40, 500, 2" })
	void runAtTheLimitIsPermitted(int threads, int requests, int instances) {
		assertThatCode(() -> require(threads, requests, instances)).doesNotThrowAnyException();
	}

	@ParameterizedTest
	@CsvSource({ "0, 1, 1", "-1, 1, 1", "201, 1, 1", "2147483647, 1, 1" })
	void numberOfThreadsIsLimited(int threads, int requests, int instances) {
		assertRefused(() -> require(threads, requests, instances), "threads", 200, (long) threads);
	}

	@ParameterizedTest
	@CsvSource({ "1, 0, 1", "1, 501, 1" })
	void numberOfRequestsIsLimited(int threads, int requests, int instances) {
		assertRefused(() -> require(threads, requests, instances), "requests", 500, (long) requests);
	}

	@ParameterizedTest
	@CsvSource({ "1, 1, 0", "1, 1, 4" })
	void numberOfInstancesIsLimited(int threads, int requests, int instances) {
		assertRefused(() -> require(threads, requests, instances), "instances", 3, (long) instances);
	}

	@Test
	void numbersAreWhole() {
		assertRefused(() -> require(1.5, 1, 1), "threads", 200, 1.5);
		assertRefused(() -> require(1, 2.25, 1), "requests", 500, 2.25);
		assertRefused(() -> require(1, 1, 1.5), "instances", 3, 1.5);
		assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> require(1.5, 1, 1))
			.satisfies((refused) -> assertThat(refused.getBody().getDetail())
				.isEqualTo("threads must be a whole number from 1 to 200, not 1.5"));
	}

	@Test
	void productOfThreadsAndRequestsIsLimited() {
		assertRefused(() -> require(200, 101, 3), "total", 20_000, 20_200L);
	}

	@Test
	void sentenceHasTheNumbers() {
		assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> require(200, 101, 3))
			.satisfies((refused) -> assertThat(refused.getBody().getDetail())
				.isEqualTo("threads × requests must be at most 20,000, not 20,200"));
	}

	private static void assertRefused(ThrowingCallable call, String code, int most, Number value) {
		assertThatExceptionOfType(RefusedException.class).isThrownBy(call).satisfies((refused) -> {
			assertThat(refused.getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
			assertThat(refused.getBody().getProperties()).containsEntry("code", code)
				.containsEntry("arguments", Map.of("most", most, "value", value));
		});
	}

	private static void require(double threads, double requests, double instances) {
		LIMITS.require(new RunRequest("stock", "no-lock", threads, requests, instances));
	}

}
