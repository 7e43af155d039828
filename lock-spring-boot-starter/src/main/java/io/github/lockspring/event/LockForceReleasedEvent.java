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

package io.github.lockspring.event;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.ProcessName;

/**
 * Application event published when an operator released a lock for its holder. Published
 * once for each holder, by the process that the operator used, in the thread that called
 * the store.
 *
 * @param storeKey the key of the lock as used in the store
 * @param backend the name of the backend that stored the lease
 * @param owner the owner of the lease in the store
 * @param process the process of the holder, or {@code null} if it is unknown
 * @param fencingToken the last fencing token of the lease, or 0 if the backend does not
 * support fencing tokens
 * @param principal the name of the operator, or {@code null} if it is unknown
 */
public record LockForceReleasedEvent(String storeKey, String backend, String owner, @Nullable ProcessName process,
		long fencingToken, @Nullable String principal) {

}
