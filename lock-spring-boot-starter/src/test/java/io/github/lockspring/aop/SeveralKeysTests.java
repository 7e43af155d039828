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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockLimitException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for keys that are collections or arrays: all of their elements are locked
 * together.
 */
class SeveralKeysTests {

	private final LockedProxies proxies = new LockedProxies();

	private final Keys target = new Keys();

	private final Keys keys = this.proxies.proxy(this.target);

	@AfterEach
	void close() {
		this.proxies.close();
	}

	@Test
	void collectionIsLockedTogether() {
		this.target.during = () -> assertThat(List.of("all:1", "all:2", "all:3")).allMatch(this.proxies::isHeld);
		this.keys.all(List.of(3, 1, 2));
		assertThat(this.target.runs).isOne();
		assertThat(List.of("all:1", "all:2", "all:3")).noneMatch(this.proxies::isHeld);
	}

	@Test
	void whenOneOfSeveralIsHeldElsewhereThenNoneIsKept() {
		this.proxies.holdElsewhere("all:2");
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> this.keys.all(List.of(1, 2)));
		assertThat(this.proxies.isHeld("all:1")).isFalse();
		assertThat(this.target.runs).isZero();
	}

	@Test
	void duplicatesAreLockedOnce() {
		this.keys.all(List.of("b", "a", "b"));
		assertThat(this.proxies.backend.keys()).containsExactlyInAnyOrder("lock:all:a", "lock:all:b");
	}

	@Test
	void tooManyKeysAreRejected() {
		List<Object> ids = new ArrayList<>(IntStream.range(0, 10_001).boxed().toList());
		assertThatExceptionOfType(LockLimitException.class).isThrownBy(() -> this.keys.all(ids))
			.withMessageContaining("10000");
		assertThat(this.target.runs).isZero();
	}

	@Test
	void manyEqualKeysAreOneKeyButCountAsMany() {
		assertThatExceptionOfType(LockLimitException.class)
			.isThrownBy(() -> this.keys.all(Collections.nCopies(10_001, (Object) "a")));
	}

	@Test
	void arraysAreLockedTogether() {
		this.keys.array(new long[] { 2, 1 });
		assertThat(this.proxies.backend.keys()).containsExactly("lock:array:1", "lock:array:2");
	}

	static class Keys {

		private int runs;

		private Runnable during = () -> {
		};

		@DistributedLock(name = "all", key = "#ids")
		void all(List<?> ids) {
			this.runs++;
			this.during.run();
		}

		@DistributedLock(name = "array", key = "#ids")
		void array(long[] ids) {
			this.runs++;
		}

	}

}
