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

package io.github.lockspring;

/**
 * Application event: the lease of a lock was lost while the lock was held. Published once
 * per hold, soon after the loss, in a thread of its own. A listener that throws keeps
 * neither other losses from being published nor other leases from being renewed; those
 * behind it are not told of this loss, as with every event.
 *
 * @param storeKey the key of the lock, as the store knows it
 * @param fencingToken the fencing token of the hold that was lost, or 0 from a backend
 * that has no fencing tokens
 * @param backend the name of the backend that kept the lease
 */
public record LockLostEvent(String storeKey, long fencingToken, String backend) {

}
