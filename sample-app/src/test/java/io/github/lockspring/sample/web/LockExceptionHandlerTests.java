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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.assertj.MvcTestResultAssert;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.jdbc.JdbcLockBackend;
import io.github.lockspring.test.AutoConfigureTestLocks;
import io.github.lockspring.test.LockHeldElsewhere;
import io.github.lockspring.test.TestLocks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockExceptionHandler}.
 */
@WebMvcTest(LockExceptionHandlerTests.OrderController.class)
@AutoConfigureTestLocks
@Import(LockExceptionHandlerTests.OrderController.class)
class LockExceptionHandlerTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private TestLocks locks;

	@Test
	void requestThatFindsItsLockHeldIsAnsweredWithLocked() {
		try (LockHeldElsewhere other = this.locks.holdElsewhere("order:42")) {
			assertProblem(get("/pay?order=42"), HttpStatus.LOCKED).doesNotContainHeader("Retry-After");
		}
		assertThat(get("/pay?order=42")).hasStatusOk();
	}

	@Test
	void requestWithoutAKeyIsAnsweredWithBadRequest() {
		assertProblem(get("/pay"), HttpStatus.BAD_REQUEST);
		assertProblem(get("/pay?order= "), HttpStatus.BAD_REQUEST);
		assertProblem(get("/pay?order=" + "x".repeat(513)), HttpStatus.BAD_REQUEST);
	}

	@Test
	void requestWhoseLockIsLostIsAnsweredWithUnavailable() {
		assertProblem(get("/lose?order=42"), HttpStatus.SERVICE_UNAVAILABLE).hasHeader("Retry-After", "1");
	}

	@Test
	void requestWhoseStoreIsAwayIsAnsweredWithUnavailable() {
		assertProblem(get("/away"), HttpStatus.SERVICE_UNAVAILABLE).hasHeader("Retry-After", "1");
	}

	@Test
	void codeIsThatOfTheDocumentation() throws IOException {
		String code = Files
			.readString(Path.of("src/main/java/io/github/lockspring/sample/web/LockExceptionHandler.java"));
		String page = Files.readString(Path.of("../docs/http-responses.md"));
		String shown = page.substring(page.indexOf("@RestControllerAdvice"));
		assertThat(withoutComments(code)).endsWith(withoutComments(shown.substring(0, shown.indexOf("```"))));
	}

	private static String withoutComments(String code) {
		return code.replaceAll("(?s)/\\*\\*.*?\\*/", "").replaceAll("\\s+", " ");
	}

	private MvcTestResult get(String uri) {
		return this.mvc.get().uri(uri).exchange();
	}

	private static MvcTestResultAssert assertProblem(MvcTestResult result, HttpStatus status) {
		MvcTestResultAssert problem = assertThat(result).hasStatus(status)
			.hasContentTypeCompatibleWith(MediaType.APPLICATION_PROBLEM_JSON);
		problem.bodyJson().extractingPath("$.detail").asString().isNotEmpty().doesNotContain("order:");
		return problem;
	}

	@RestController
	static class OrderController {

		private final TestLocks locks;

		OrderController(TestLocks locks) {
			this.locks = locks;
		}

		@GetMapping("/pay")
		@DistributedLock(name = "order", key = "#order")
		void pay(@RequestParam(required = false) String order) {
		}

		@GetMapping("/lose")
		@DistributedLock(name = "order", key = "#order")
		void lose(@RequestParam String order) {
			this.locks.expireNow("order:" + order);
		}

		@GetMapping("/away")
		void away() {
			DriverManagerDataSource nothing = new DriverManagerDataSource("jdbc:h2:tcp://localhost:1/nothing");
			try (LockTemplate locks = LockTemplate.builder(new JdbcLockBackend(nothing)).build()) {
				locks.executeWithoutResult("order:42", (lock) -> {
				});
			}
		}

	}

}
