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

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for methods whose locks are on several backends: the order is the same, whether
 * or not the default one is named.
 */
class SeveralBackendsOrderTests {

	private final LockedProxies proxies = new LockedProxies();

	private final LockEngine second = engine("second");

	private final LockEngine first = engine("first");

	private final Transfers transfers = this.proxies.proxy(new Transfers());

	SeveralBackendsOrderTests() {
		LockTemplate template = LockUtils.template(new LockEngines(this.second, List.of(this.first)), "lock:",
				LockedProxies.TRY_ONCE);
		this.proxies.context.removeBeanDefinition("lockTemplate");
		this.proxies.context.registerBean("lockTemplate", LockTemplate.class, () -> template);
	}

	private LockEngine engine(String name) {
		return new LockEngine(new RecordingBackend(new LocalStore(this.proxies.time), name), EngineSettings.defaults(),
				EngineListener.NONE, this.proxies.time);
	}

	@AfterEach
	void close() {
		this.proxies.close();
		this.first.close();
		this.second.close();
	}

	@Test
	void orderIsThatOfTheNamesOfTheBackends() {
		assertThat(this.transfers.both()).isEqualTo("b, a");
		assertThat(this.transfers.bothWrittenOtherwise()).isEqualTo("b, a");
	}

	@Test
	void defaultBackendHasItsNameInTheOrder() {
		assertThat(this.transfers.byDefault()).isEqualTo("b, a");
	}

	static class Transfers {

		@DistributedLock(name = "a", backend = "second")
		@DistributedLock(name = "b", backend = "first")
		String both() {
			return order();
		}

		@DistributedLock(name = "b", backend = "first")
		@DistributedLock(name = "a", backend = "second")
		String bothWrittenOtherwise() {
			return order();
		}

		@DistributedLock(name = "a")
		@DistributedLock(name = "b", backend = "first")
		String byDefault() {
			return order();
		}

		private static String order() {
			LockContext context = LockContext.get();
			return context.outer().name() + ", " + context.name();
		}

	}

}
