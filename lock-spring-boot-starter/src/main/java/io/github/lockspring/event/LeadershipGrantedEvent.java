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

/**
 * Application event published when this process was elected leader by a
 * {@link io.github.lockspring.concurrent.LeaderElection}. Published once per term, soon
 * after the grant, in a separate thread, and again after an interruption of the
 * connection to the store during which the term did not end. A listener that throws an
 * exception affects neither the election nor other events; as with every event, listeners
 * behind it do not receive this one.
 *
 * @param storeKey the key of the election as used in the store
 * @param fencingToken the fencing token of the term, or 0 if the backend does not support
 * fencing tokens
 * @param backend the name of the backend that stores the lease
 */
public record LeadershipGrantedEvent(String storeKey, long fencingToken, String backend) {

}
