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

package io.github.lockspring.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.spi.state.KeyState;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link KeyRow}.
 */
class KeyRowTests {

	private static final Instant NOW = Instant.EPOCH.plusNanos(1_000_000);

	private static final Instant END = Instant.EPOCH.plusNanos(2_000_000);

	private static final KeyState FREE = KeyState.free(NOW, 0);

	@Test
	void textHoldsSharersAndQueueAndColumnsTheExclusiveHolder() {
		KeyState state = queued(
				queued(FREE.granted(holder("a", LeaseMode.SHARED)).granted(holder("b", LeaseMode.permits(2, 9))), "c",
						LeaseMode.permits(3, 9)),
				"d", LeaseMode.EXCLUSIVE);
		KeyRow row = KeyRow.absent(NOW).with(state);
		assertThat(row.toLines()).isEqualTo("""
				s a 5 2000 1@host
				p2/9 b 5 2000 1@host
				+p3/9 c 0 1100 1@host
				+x d 0 1100 1@host
				""");
		assertThat(read(5, null, row.sharedUntil(), row.toLines())).isEqualTo(state);
		assertThat(KeyRow.absent(NOW).with(FREE.granted(holder("a", LeaseMode.EXCLUSIVE))).toLines()).isNull();
	}

	@Test
	void clockThatGoesBackBringsNoHolderBack() {
		KeyRow row = KeyRow.absent(NOW).with(FREE.granted(holder("a", LeaseMode.SHARED)));
		KeyEntry successor = new KeyEntry("b", LeaseMode.EXCLUSIVE, false, 6, END.plusSeconds(1), "");
		assertThat(read(6, successor, 0, row.toLines()).holders()).containsExactly(successor);
	}

	@Test
	void keyIsHandedOffUnlessItsReleaseIsNotified() {
		LeaseTerms terms = new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(1), 1);
		LeaseRequest waiting = new LeaseRequest("key", terms, "b", 1);
		KeyRow row = KeyRow.absent(NOW)
			.with(FREE.granted(holder("a", LeaseMode.EXCLUSIVE)).entered(waiting, "1@host", true));
		assertThat(row.released("a").exclusive()).matches(KeyEntry::isReservation)
			.matches((next) -> next.isOwnedBy(waiting.ownerText()));
		assertThat(row.awaited(true).released("a").holders()).isEmpty();
	}

	private static KeyState read(long token, @Nullable KeyEntry exclusive, long sharedUntil, @Nullable String lines) {
		return KeyRow.of(1, NOW, token, exclusive, sharedUntil, lines, List.of()).state();
	}

	private static KeyEntry holder(String owner, LeaseMode mode) {
		return new KeyEntry(owner, mode, false, 5, END, "1@host");
	}

	private static KeyState queued(KeyState state, String owner, LeaseMode mode) {
		return state.queued(owner, mode, "1@host", Duration.ofNanos(100_000));
	}

}
