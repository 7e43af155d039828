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

import java.time.Duration;

/**
 * Owner that holds a key, as recorded in the store.
 *
 * @param owner the text of the {@link OwnerId}
 * @param mode the mode of the lease
 * @param token the last fencing token of the lease's block, or 0 from a backend without
 * {@link Capability#FENCING}
 * @param remaining the time until the lease ends if it is not renewed
 */
public record LeaseHolder(String owner, LeaseMode mode, long token, Duration remaining) {
}
