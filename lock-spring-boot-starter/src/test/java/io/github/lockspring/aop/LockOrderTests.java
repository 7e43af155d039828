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

package io.github.lockspring.aop;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockOrder}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockOrderTests {

	private static final String WARNING = "are acquired in both orders";

	private final LockedProxies proxies = new LockedProxies();

	private final Steps steps = this.proxies.proxy(new Steps());

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@Test
	void oppositeOrdersWarnOnce(CapturedOutput output) {
		for (int i = 0; i < 3; i++) {
			nest(this.steps::a, this.steps::b);
			nest(this.steps::b, this.steps::a);
		}
		assertThat(output.getAll().split(WARNING, -1)).hasSize(2);
		assertThat(output).contains("The locks 'b' and 'a' are acquired in both orders");
	}

	@Test
	void oppositeOrdersWithAnotherBetweenWarnOnce(CapturedOutput output) {
		nest(this.steps::a, this.steps::c, this.steps::b);
		nest(this.steps::b, this.steps::a);
		assertThat(output.getAll().split(WARNING, -1)).hasSize(2);
	}

	@Test
	void eachPairWarns(CapturedOutput output) {
		nest(this.steps::a, this.steps::b);
		nest(this.steps::b, this.steps::a);
		nest(this.steps::a, this.steps::c);
		nest(this.steps::c, this.steps::a);
		assertThat(output.getAll().split(WARNING, -1)).hasSize(3);
	}

	@Test
	void sameOrderDoesNotWarn(CapturedOutput output) {
		nest(this.steps::a, this.steps::b, this.steps::c);
		nest(this.steps::a, this.steps::c);
		nest(this.steps::b, this.steps::c);
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void sameNameDoesNotWarn(CapturedOutput output) {
		this.steps.a(1, () -> this.steps.a(2, () -> {
		}));
		this.steps.a(2, () -> this.steps.a(1, () -> {
		}));
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void lockThatIsHeldAlreadyDoesNotWarn(CapturedOutput output) {
		nest(this.steps::a, this.steps::b, this.steps::a);
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void lockThatWasAcquiredInCodeDoesNotWarn(CapturedOutput output) {
		nest(this.steps::a, this.steps::b);
		this.proxies.locks().executeWithoutResult("a:1", (lock) -> nest(this.steps::b, this.steps::a));
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void anotherKeyOfANameThatIsHeldAlreadyWarns(CapturedOutput output) {
		this.steps.a(1, () -> this.steps.b(1, () -> this.steps.a(2, () -> {
		})));
		assertThat(output.getAll().split(WARNING, -1)).hasSize(2);
	}

	@Test
	void permitThatIsHeldAlreadyWarns(CapturedOutput output) {
		nest(this.steps::permit, this.steps::b, this.steps::permit);
		assertThat(output.getAll().split(WARNING, -1)).hasSize(2);
	}

	@Test
	void repeatedLocksDoNotWarn(CapturedOutput output) {
		this.steps.forth();
		this.steps.back();
		assertThat(output).doesNotContain(WARNING);
	}

	private static void nest(Step... steps) {
		nest(List.of(steps));
	}

	private static void nest(List<Step> steps) {
		if (!steps.isEmpty()) {
			steps.get(0).run(1, () -> nest(steps.subList(1, steps.size())));
		}
	}

	private interface Step {

		void run(long key, Runnable body);

	}

	static class Steps {

		@DistributedLock(name = "a", key = "#key")
		void a(long key, Runnable body) {
			body.run();
		}

		@DistributedLock(name = "b", key = "#key")
		void b(long key, Runnable body) {
			body.run();
		}

		@DistributedLock(name = "c", key = "#key")
		void c(long key, Runnable body) {
			body.run();
		}

		@DistributedSemaphore(name = "permit", permits = "2")
		void permit(long key, Runnable body) {
			body.run();
		}

		@DistributedLock(name = "a")
		@DistributedLock(name = "b")
		void forth() {
		}

		@DistributedLock(name = "b")
		@DistributedLock(name = "a")
		void back() {
		}

	}

}
