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

package io.github.lockspring.sample.stock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import io.github.lockspring.test.AutoConfigureTestLocks;
import io.github.lockspring.test.LockHeldElsewhere;
import io.github.lockspring.test.TestLocks;

import static io.github.lockspring.test.TestLocksAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what customers see while another instance of the application sells the
 * product.
 */
@SpringBootTest(properties = "spring.datasource.url=jdbc:h2:mem:stock-lock;LOCK_TIMEOUT=30000")
@AutoConfigureMockMvc
@AutoConfigureTestLocks
class StockLockTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private TestLocks locks;

	@BeforeEach
	void fillUp() {
		assertThat(this.mvc.put().uri("/products/7?name=Ticket&stock=2")).hasStatusOk();
	}

	@Test
	void whenAnotherInstanceHoldsTheLockThenTheProductIsLocked() {
		try (LockHeldElsewhere other = this.locks.holdElsewhere("stock:7")) {
			assertThat(deduct("distributed-lock", "a")).hasStatus(HttpStatus.LOCKED);
		}
		assertThat(deduct("distributed-lock", "a")).hasStatusOk();
	}

	@Test
	void lockOfAnotherProductDoesNotMatter() {
		try (LockHeldElsewhere other = this.locks.holdElsewhere("stock:8")) {
			assertThat(deduct("distributed-lock", "a")).hasStatusOk();
		}
	}

	@Test
	void otherStrategiesIgnoreTheLock() {
		try (LockHeldElsewhere other = this.locks.holdElsewhere("stock:7")) {
			assertThat(deduct("guarded-update", "a")).hasStatusOk();
		}
	}

	@Test
	void orderThatWaitsIsSoldWhenTheOtherInstanceHasFinished() {
		LockHeldElsewhere other = this.locks.holdElsewhere("stock:7");
		CompletableFuture<MvcTestResult> order = CompletableFuture.supplyAsync(() -> deduct("distributed-lock", "a"));
		Awaitility.await().untilAsserted(() -> assertThat(this.locks).hasWaiters("stock:7", 1));
		other.close();
		assertThat(order).succeedsWithin(Duration.ofMinutes(1)).satisfies((result) -> assertThat(result).hasStatusOk());
	}

	private MvcTestResult deduct(String strategy, String order) {
		return this.mvc.post().uri("/products/7/deduct?strategy=" + strategy + "&order=" + order).exchange();
	}

}
