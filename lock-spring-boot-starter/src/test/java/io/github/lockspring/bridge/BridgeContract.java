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

package io.github.lockspring.bridge;

import java.time.Duration;

import org.junit.jupiter.api.Nested;

import io.github.lockspring.faults.Store;
import io.github.lockspring.faults.TemplateProcess;

/**
 * The rules of the libraries whose interfaces are implemented by this one, on every
 * store.
 */
public abstract class BridgeContract {

	/**
	 * The store that all processes of a test use.
	 * @return a store
	 */
	protected abstract Store store();

	private TemplateProcess process() {
		return new TemplateProcess(store(), Duration.ofMinutes(1), Duration.ofMillis(300));
	}

	@Nested
	class Provider extends LeaseLockProviderRules {

		Provider() {
			super(BridgeContract.this::process);
		}

	}

	@Nested
	class Registry extends LeaseLockRegistryRules {

		Registry() {
			super(BridgeContract.this::process);
		}

	}

}
