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

package com.example.shop;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockOperations;
import io.github.lockspring.test.LockHeldElsewhere;
import io.github.lockspring.test.NoOpLockOperations;
import io.github.lockspring.test.TestLocks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks in code that a test replaces, while annotations keep theirs.
 */
class MockedLocksTests {

	static LockOperations noLocks() {
		return new NoOpLockOperations();
	}

	@Nested
	@WebMvcTest
	class ByAMock {

		@MockitoBean
		private LockOperations operations;

		@Test
		void onlyAnnotationsLock(@Autowired MockMvcTester mvc) {
			assertThat(mvc.get().uri("/annotated/42")).hasStatusOk().bodyText().isEqualTo("annotated");
			assertThat(mvc.get().uri("/in-code/42")).hasStatusOk().bodyText().isEmpty();
		}

		@Test
		void locksOfAnnotationsAreControlled(@Autowired MockMvcTester mvc, @Autowired TestLocks locks) {
			try (LockHeldElsewhere other = locks.holdElsewhere("order:42")) {
				assertThat(mvc.get().uri("/annotated/42")).failure().hasCauseInstanceOf(LockNotAcquiredException.class);
			}
		}

	}

	@Nested
	@WebMvcTest
	class ByNoOps {

		@TestBean(methodName = "com.example.shop.MockedLocksTests#noLocks")
		private LockOperations operations;

		@Test
		void actionsRun(@Autowired MockMvcTester mvc) {
			assertThat(mvc.get().uri("/annotated/42")).hasStatusOk().bodyText().isEqualTo("annotated");
			assertThat(mvc.get().uri("/in-code/42")).hasStatusOk().bodyText().isEqualTo("lock:order:42");
		}

	}

}
