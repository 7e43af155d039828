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
package io.github.lockspring.server;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link FaultProxy} knows of the requests to its ZooKeeper server, and which
 * reply it is to drop.
 */
final class ZooKeeperTraffic {

	private final AtomicReference<@Nullable DroppedReply<ZooKeeperRequest>> armed = new AtomicReference<>();

	private final Set<Integer> unknown = ConcurrentHashMap.newKeySet();

	private final Map<Integer, Long> requests = new ConcurrentHashMap<>();

	CompletableFuture<String> dropReply(Predicate<ZooKeeperRequest> request) {
		DroppedReply<ZooKeeperRequest> reply = new DroppedReply<>(request);
		this.armed.set(reply);
		return reply.reply();
	}

	/**
	 * Return what is to be dropped if this is the request, and disarm it.
	 */
	synchronized @Nullable DroppedReply<ZooKeeperRequest> take(ZooKeeperRequest request) {
		DroppedReply<ZooKeeperRequest> reply = this.armed.get();
		return (reply != null && reply.isOf(request) && this.armed.compareAndSet(reply, null)) ? reply : null;
	}

	void disarm() {
		this.unknown.clear();
		this.armed.set(null);
	}

	void makeUnknown(int opCode) {
		this.unknown.add(opCode);
	}

	boolean isUnknown(int opCode) {
		return this.unknown.contains(opCode);
	}

	void count(ZooKeeperRequest request) {
		this.requests.merge(request.opCode(), 1L, Long::sum);
	}

	long requests(int opCode) {
		return this.requests.getOrDefault(opCode, 0L);
	}

}
