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

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.test.LockHeldElsewhere;
import io.github.lockspring.test.TestLocks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slice of controllers contains locks.
 */
@WebMvcTest(properties = "lock.backend=zookeeper")
class WebSliceTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private TestLocks locks;

	@Test
	void annotatedControllerIsLocked() {
		assertThat(this.mvc.get().uri("/annotated/42")).hasStatusOk().bodyText().isEqualTo("annotated");
		try (LockHeldElsewhere other = this.locks.holdElsewhere("order:42")) {
			assertThat(this.mvc.get().uri("/annotated/42")).failure()
				.hasCauseInstanceOf(LockNotAcquiredException.class);
		}
	}

	@Test
	void locksInCodeAreInjected() {
		assertThat(this.mvc.get().uri("/in-code/42")).hasStatusOk().bodyText().isEqualTo("lock:order:42");
	}

}
