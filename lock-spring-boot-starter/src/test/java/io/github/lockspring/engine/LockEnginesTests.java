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
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockEngines}.
 */
@Timeout(300)
class LockEnginesTests {

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private final RecordingBackend redBackend = new RecordingBackend(new LocalStore(), "red");

	private final RecordingBackend blueBackend = new RecordingBackend(new LocalStore(), "blue");

	private final LockEngine red = engine(this.redBackend);

	private final LockEngine blue = engine(this.blueBackend);

	private final LockEngines engines = new LockEngines(this.red, List.of(this.blue));

	private static LockEngine engine(RecordingBackend backend) {
		return new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, TimeSource.SYSTEM);
	}

	@AfterEach
	void close() {
		this.engines.close();
	}

	@Test
	void enginesAreFoundByName() {
		assertThat(this.engines.require("red")).isSameAs(this.red).isSameAs(this.engines.defaultEngine());
		assertThat(this.engines.require("blue")).isSameAs(this.blue);
		assertThat(this.engines.names()).containsExactly("red", "blue");
		assertThat(this.engines.all()).containsExactly(this.red, this.blue);
	}

	@Test
	void unknownNameIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.engines.require("green"))
			.withMessageContaining("'green'")
			.withMessageContaining("red, blue");
	}

	@Test
	void nameThatIsTakenIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockEngines(this.red, List.of(this.red)))
			.withMessageContaining("'red'");
	}

	@Test
	void shutdownReleasesAllLocksOfAllBackends() throws Exception {
		this.red.acquire("a", OPTIONS, 0);
		this.blue.acquire("b", OPTIONS, 0);
		this.engines.shutdown(Duration.ZERO);
		assertThat(this.redBackend.released()).containsOnly("a");
		assertThat(this.blueBackend.released()).containsOnly("b");
	}

	@Test
	void shutdownInAThreadThatIsInterruptedEndsAtOnceAndReleases() throws Exception {
		this.red.acquire("a", OPTIONS, 0);
		this.blue.acquire("b", OPTIONS, 0);
		Thread.currentThread().interrupt();
		this.engines.shutdown(Duration.ofMinutes(2));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.redBackend.released()).containsOnly("a");
		assertThat(this.blueBackend.released()).containsOnly("b");
	}

	@Test
	void closeClosesAll() throws Exception {
		Hold red = this.red.acquire("a", OPTIONS, 0);
		Hold blue = this.blue.acquire("b", OPTIONS, 0);
		this.engines.close();
		assertThat(red.isHeld()).isFalse();
		assertThat(blue.isHeld()).isFalse();
	}

}
