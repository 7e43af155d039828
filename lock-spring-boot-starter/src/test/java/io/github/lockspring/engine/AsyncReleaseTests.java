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

package io.github.lockspring.engine;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.FaultyBackend.Kind;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * ReleaseRetrier that do not wait for the store's answer.
 */
class AsyncReleaseTests {

	private final Harness harness = new Harness();

	private final FaultyBackend backend = this.harness.backend();

	private final LockEngine engine = this.harness.engine(this.backend,
			EngineSettings.defaults().withAsyncRelease(true));

	@AfterEach
	void close() {
		this.harness.close();
	}

	@Test
	void leaseIsReleased() throws Exception {
		for (int i = 0; i < 10; i++) {
			assertThat(Harness.hold(this.engine).release()).isTrue();
		}
		assertThat(this.backend.count(Kind.RELEASE)).isEqualTo(10);
		this.harness.assertNothingLeft();
	}

	@Test
	void lossIsToldWhenTheAnswerHasCome() {
		Hold hold = Harness.hold(this.engine);
		this.backend.setDelivery(FaultyBackend.Delivery.LOSE);
		this.harness.store.expire(hold.lease().request());
		assertThat(hold.release()).isTrue();
		Harness.await().until(() -> this.harness.losses.size() == 1);
		this.harness.assertNothingLeft();
	}

	@Test
	void releaseWithoutAnswerIsRepeated() {
		Hold hold = Harness.hold(this.engine);
		this.backend.next(Kind.RELEASE, FaultyBackend.Fault.unavailable());
		assertThat(hold.release()).isTrue();
		Harness.await().until(() -> {
			this.harness.advance(Duration.ofMillis(100));
			return this.harness.sizeOfStore() == 0;
		});
		assertThat(this.harness.losses).isEmpty();
	}

}
