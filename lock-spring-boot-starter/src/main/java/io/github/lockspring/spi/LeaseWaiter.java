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

package io.github.lockspring.spi;

import org.jspecify.annotations.Nullable;

/**
 * Owner that waits for a key, as recorded in the store.
 *
 * @param owner the text of the {@link OwnerId}
 * @param process the process of the owner, or {@code null} if the backend does not record
 * it for waiting owners
 */
public record LeaseWaiter(String owner, @Nullable ProcessName process) {

	/**
	 * Return whether the owner belongs to a process.
	 * @param instance the {@linkplain OwnerId#instance() identifier} of the process
	 * @return whether the process made the request
	 */
	public boolean isOf(String instance) {
		return this.owner.startsWith(instance);
	}

}
