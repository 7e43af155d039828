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
 * Application event published when a lock was acquired, except for one that its owner
 * held already. Published in the thread that acquired the lock, before the acquisition
 * returns; for an asynchronous acquisition, in the thread that completes it, which may be
 * one of this library. A lock of several keys has one event per key.
 * <p>
 * The lock is held and its lease is renewed while listeners run. They delay its holder,
 * and an exception that one of them throws is logged.
 * <p>
 * Whether there are listeners is determined when the application context is started:
 * without any at that time, the event is not published.
 *
 * @param storeKey the key of the lock as used in the store
 * @param fencingToken the fencing token of the hold, or 0 if the backend does not support
 * fencing tokens
 * @param backend the name of the backend that stores the lease
 * @param waited the time that the acquisition took
 */
public record LockAcquiredEvent(String storeKey, long fencingToken, String backend, Duration waited) {

}
