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

package io.github.lockspring.sample.web;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockspring.LockException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockExceptionHandler}.
 */
class LockExceptionHandlerTests {

	private final MockMvcTester mvc = MockMvcTester.of(List.of(new BusyController()),
			(builder) -> builder.setControllerAdvice(new LockExceptionHandler()).build());

	@Test
	void requestWithoutItsLockIsAnsweredWithTheReason() {
		assertThat(this.mvc.get().uri("/busy")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
			.hasContentTypeCompatibleWith(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.detail")
			.isEqualTo("held by another");
	}

	@RestController
	static class BusyController {

		@GetMapping("/busy")
		void busy() {
			throw new BusyException();
		}

	}

	static class BusyException extends LockException {

		BusyException() {
			super("held by another", "key", null);
		}

	}

}
