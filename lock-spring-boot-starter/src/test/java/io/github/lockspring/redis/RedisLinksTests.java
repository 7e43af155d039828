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

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.Deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link RedisLinks}.
 */
class RedisLinksTests {

	private final AtomicInteger made = new AtomicInteger();

	private final Set<RedisLink> lost = ConcurrentHashMap.newKeySet();

	private final RedisLinks links = new RedisLinks(3, (i) -> new ReconnectingConnection<>("a server", this::connect,
			(link) -> !this.lost.contains(link), RedisLink::close, Duration.ofMillis(500), null));

	private RedisLink connect() {
		this.made.incrementAndGet();
		RedisLink link = mock(RedisLink.class);
		given(link.isUsable(anyLong())).willAnswer((call) -> !this.lost.contains(link));
		willAnswer((call) -> this.lost.add(link)).given(link).close();
		return link;
	}

	@AfterEach
	void close() {
		this.links.close();
	}

	private RedisLink get(int index) {
		return this.links.get(index, Deadline.after(Duration.ofMinutes(1)));
	}

	@Test
	void connectionIsUsedAgain() {
		int first = this.links.begin();
		RedisLink link = get(first);
		this.links.end(first);
		assertThat(get(this.links.begin())).isSameAs(link);
		assertThat(this.made).hasValue(1);
	}

	@Test
	void callsHaveConnectionsOfTheirOwnWhileThereAreSome() {
		Set<RedisLink> used = Set.of(get(this.links.begin()), get(this.links.begin()), get(this.links.begin()));
		assertThat(used).hasSize(3).contains(get(this.links.begin()));
		assertThat(this.made).hasValue(3);
	}

	@Test
	void connectionWithTheFewestCallsIsShared() {
		for (int i = 0; i < 6; i++) {
			this.links.begin();
		}
		this.links.end(1);
		assertThat(this.links.begin()).isEqualTo(1);
		this.links.end(2);
		this.links.end(2);
		assertThat(this.links.begin()).isEqualTo(2);
		assertThat(this.links.begin()).isEqualTo(2);
	}

	@Test
	void contemporariesOfALostConnectionAreNotUsedAgain() {
		int first = this.links.begin();
		int second = this.links.begin();
		RedisLink broken = get(first);
		RedisLink other = get(second);
		this.links.end(second);
		this.lost.add(broken);
		this.links.end(first);
		verify(other).close();
		assertThat(get(second)).isNotIn(broken, other);
	}

	@Test
	void connectionOfACallInProgressIsKeptWhenAnotherIsLost() {
		int first = this.links.begin();
		RedisLink broken = get(first);
		int second = this.links.begin();
		RedisLink other = get(second);
		this.lost.add(broken);
		this.links.end(first);
		verify(other, never()).close();
		assertThat(get(second)).isSameAs(other);
	}

	@Test
	void callHasANewConnectionIfThePresentOneCannotBeUsed() {
		int index = this.links.begin();
		RedisLink broken = get(index);
		given(broken.isUsable(anyLong())).willAnswer((call) -> {
			broken.close();
			return false;
		});
		assertThat(get(index)).isNotSameAs(broken);
	}

	@Test
	void connectionsAreRejectedAfterClose() {
		int index = this.links.begin();
		get(index);
		this.links.close();
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> get(index));
	}

}
