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

package io.github.lockspring.spi.state;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link LockBackendContractTests} for {@link StateBackend} on a store in which every
 * third replacement meets another one, and what becomes of requests then.
 */
class StateBackendTests extends LockBackendContractTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	/**
	 * What {@link StateStore} promises.
	 */
	private static final int MAX_ID_BYTES = 1024;

	private static final LeaseTerms TERMS = new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(30), 1);

	private final Store store = new Store(3);

	@Override
	protected LockBackend backend() {
		return new StateBackend("state", this.store);
	}

	@Override
	protected void expire(LeaseRequest lease) {
		backend().renew(List.of(lease.withLeaseTime(Duration.ZERO)), TIMEOUT);
	}

	@Override
	protected LockBackend unreachableBackend() {
		Store away = new Store(0);
		away.isAway = true;
		return new StateBackend("state", away);
	}

	@Test
	void keysOfAnOvertakenRequestAreReleased() {
		Store store = new Store(0);
		StateBackend backend = new StateBackend("state", store);
		LeaseRequest other = request(2, "b");
		store.beforeReplacement = (id) -> {
			if (id.endsWith("b")) {
				store.beforeReplacement = (next) -> {
				};
				assertThat(backend.tryAcquire(other, TIMEOUT)).isInstanceOf(Grant.class);
			}
		};
		assertThat(backend.contend(request(1, "a", "b"), TIMEOUT)).isInstanceOf(Denial.class);
		assertThat(backend.inspect("a", TIMEOUT)).isEmpty();
		assertThat(backend.inspect("b", TIMEOUT)).extracting(LeaseHolder::owner)
			.containsExactly(other.owner().toString());
	}

	@Test
	void overtakenRequestIsGrantedWithOneTokenForAllKeys() {
		Store store = new Store(0);
		StateBackend backend = new StateBackend("state", store);
		store.beforeReplacement = (id) -> {
			if (id.endsWith("b")) {
				store.beforeReplacement = (next) -> {
				};
				LeaseRequest other = request(2, "b");
				backend.tryAcquire(other, TIMEOUT);
				backend.release(other, TIMEOUT);
			}
		};
		Grant grant = (Grant) backend.tryAcquire(request(1, "a", "b"), TIMEOUT);
		assertThat(List.of("a", "b")).allSatisfy((key) -> assertThat(backend.inspect(key, TIMEOUT)).singleElement()
			.extracting(LeaseHolder::token)
			.isEqualTo(grant.token()));
	}

	@Test
	void outcomeIsUnknownIfTheStoreFailsAfterSomeOfSeveralKeys() {
		Store store = new Store(0);
		StateBackend backend = new StateBackend("state", store);
		store.beforeReplacement = (id) -> store.isAway = true;
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> backend.tryAcquire(request(1, "a", "b"), TIMEOUT))
			.withCauseInstanceOf(BackendUnavailableException.class);
	}

	@Test
	void operationThatIsOvertakenAgainAndAgainEnds() {
		StateBackend backend = new StateBackend("state", new Store(1));
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> backend.tryAcquire(request(1, "a"), Duration.ofMillis(20)));
	}

	@Test
	void operationMakesOneCallToReadAndOneToReplace() {
		Store store = new Store(0);
		StateBackend backend = new StateBackend("state", store);
		backend.contend(request(1, "a"), TIMEOUT);
		assertThat(store.calls).isEqualTo(2);
		backend.release(request(1, "a"), TIMEOUT);
		assertThat(store.calls).isEqualTo(4);
		backend.tryAcquire(request(1, "a"), TIMEOUT);
		backend.tryAcquire(request(2, "a"), TIMEOUT);
		assertThat(store.calls).isEqualTo(7);
	}

	@Test
	void foreignTextIsNotReplaced() {
		Store store = new Store(0);
		StateBackend backend = new StateBackend("state", store);
		for (String foreign : List.of("", "1", "2 0", "1 x", "{}")) {
			store.texts.put("k:a", foreign);
			assertThatExceptionOfType(BackendUnavailableException.class).as(foreign)
				.isThrownBy(() -> backend.tryAcquire(request(1, "a"), TIMEOUT));
			assertThat(store.texts).containsEntry("k:a", foreign);
		}
	}

	private static LeaseRequest request(long sequence, String... keys) {
		return new LeaseRequest(List.of(keys), TERMS, new OwnerId("process", sequence));
	}

	/**
	 * Texts in memory.
	 */
	private static final class Store implements StateStore {

		final Map<String, String> texts = new HashMap<>();

		final int conflicts;

		Consumer<String> beforeReplacement = (id) -> {
		};

		volatile boolean isAway;

		int calls;

		private int replacements;

		/**
		 * Creates a store.
		 * @param conflicts of how many replacements one is rejected as if another had
		 * come before it and been undone, 0 for none
		 */
		Store(int conflicts) {
			this.conflicts = conflicts;
		}

		@Override
		public synchronized Snapshot read(String id, Duration timeout) {
			assertThat(id.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(MAX_ID_BYTES);
			requireAnswer();
			return new Snapshot(this.texts.get(id), Instant.now());
		}

		@Override
		public synchronized boolean compareAndSet(String id, @Nullable String expected, String text, Duration timeout) {
			requireAnswer();
			this.beforeReplacement.accept(id);
			if ((this.conflicts > 0 && ++this.replacements % this.conflicts == 0)
					|| !Objects.equals(this.texts.get(id), expected)) {
				return false;
			}
			this.texts.put(id, text);
			return true;
		}

		private void requireAnswer() {
			this.calls++;
			if (this.isAway) {
				throw new BackendUnavailableException("The store is away", null);
			}
		}

	}

}
