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

package io.github.lockspring.simulator.zookeeper;

import java.util.List;

import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * Changes that the servers have agreed on.
 *
 * @param zxid its id
 * @param changes the changes, none if it failed
 */
record Transaction(long zxid, List<Change> changes) {

	/**
	 * Change of a node.
	 *
	 * @param path the path
	 * @param node the new state, or {@code null} if it was deleted
	 * @param event what watchers are notified of, {@link EventType#None} for nothing
	 */
	record Change(String path, @Nullable ZNode node, EventType event) {
	}

}
