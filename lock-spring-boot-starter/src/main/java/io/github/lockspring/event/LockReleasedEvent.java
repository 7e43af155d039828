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

import java.time.Duration;

/**
 * Application event published after a lock was released, except for one that its owner
 * still holds, as it was acquired more than once. Published in the thread that released
 * the lock, before the release returns; for an asynchronous release, in the thread that
 * completes it, which may be one of this library. A lock of several keys has one event
 * per key.
 * <p>
 * Not published for a lock that was lost: see {@link LockLostEvent}. If the store could
 * not be reached, the lease is released in the background, or expires.
 * <p>
 * Listeners delay the former holder, and an exception that one of them throws is logged.
 * <p>
 * Whether there are listeners is determined when the application context is started:
 * without any at that time, the event is not published.
 *
 * @param storeKey the key of the lock as used in the store
 * @param fencingToken the fencing token of the hold, or 0 if the backend does not support
 * fencing tokens
 * @param backend the name of the backend that stored the lease
 * @param held the time for which the lock was held
 */
public record LockReleasedEvent(String storeKey, long fencingToken, String backend, Duration held) {

}
