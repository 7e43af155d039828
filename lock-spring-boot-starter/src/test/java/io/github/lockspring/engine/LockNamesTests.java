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

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockNames}.
 */
class LockNamesTests {

	private final LockNames names = new LockNames();

	@Test
	void nameOfAKeyIsFound() {
		this.names.register("lock:", "order");
		this.names.register("lock:", "item");
		assertThat(this.names.nameOf("lock:order:42")).isEqualTo("order");
		assertThat(this.names.nameOf("lock:item:a:b")).isEqualTo("item");
	}

	@Test
	void nameOfALockWithoutAKeyIsFound() {
		this.names.register("lock:", "report");
		assertThat(this.names.nameOf("lock:report")).isEqualTo("report");
	}

	@Test
	void keyWithoutAKnownNameHasNone() {
		assertThat(this.names.nameOf("lock:order:42")).isEqualTo(LockNames.NONE);
		this.names.register("lock:", "order");
		assertThat(this.names.nameOf("lock:orders:42")).isEqualTo(LockNames.NONE);
		assertThat(this.names.nameOf("lock:42")).isEqualTo(LockNames.NONE);
		assertThat(this.names.nameOf("lock:")).isEqualTo(LockNames.NONE);
		assertThat(this.names.nameOf("other:order:42")).isEqualTo(LockNames.NONE);
		assertThat(this.names.nameOf("")).isEqualTo(LockNames.NONE);
	}

	@Test
	void prefixMayContainColons() {
		this.names.register("my:app:lock:", "order");
		assertThat(this.names.nameOf("my:app:lock:order:42")).isEqualTo("order");
		assertThat(this.names.nameOf("my:app:lock:app:42")).isEqualTo(LockNames.NONE);
	}

	@Test
	void innerNameIsPartOfTheKey() {
		this.names.register("lock:", "order");
		this.names.register("lock:order:", "item");
		assertThat(this.names.nameOf("lock:order:item:42")).isEqualTo("order");
		assertThat(this.names.nameOf("lock:item:42")).isEqualTo(LockNames.NONE);
	}

	@Test
	void prefixesOfSeveralTemplatesAreKnown() {
		this.names.register("lock:", "order");
		this.names.register("app:", "order");
		assertThat(this.names.nameOf("lock:order:42")).isEqualTo("order");
		assertThat(this.names.nameOf("app:order:42")).isEqualTo("order");
	}

	@Test
	void numberOfNamesIsLimited() {
		for (int i = 0; i < LockNames.MAX_NAMES; i++) {
			this.names.register("lock:", "n" + i);
		}
		assertThat(this.names.nameOf("lock:more:42")).isEqualTo(LockNames.NONE);
		this.names.register("lock:", "n0");
		assertThat(this.names.nameOf("lock:more:42")).isEqualTo(LockNames.NONE);
		this.names.register("lock:", "more");
		this.names.register("lock:", "n0");
		assertThat(this.names.nameOf("lock:more:42")).isEqualTo(LockNames.OTHER);
		assertThat(this.names.nameOf("lock:n999:42")).isEqualTo("n999");
	}

	@Test
	void nameOfAKeyIsTheRegisteredString() {
		String name = "order";
		this.names.register("lock:", name);
		assertThat(this.names.nameOf("lock:order:42")).isSameAs(name);
	}

}
