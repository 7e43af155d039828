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

package io.github.lockspring.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

import io.github.lockspring.simulator.redis.RedisModel;
import io.github.lockspring.simulator.redis.RedisNetwork;
import io.github.lockspring.support.DaemonThreads;

/**
 * A network without delays to one server, for many threads. Messages are delivered in a
 * thread of their own.
 */
final class DirectNetwork implements RedisNetwork {

	private final RedisModel server;

	private final ExecutorService messages = Executors.newSingleThreadExecutor(DaemonThreads.named("messages-"));

	DirectNetwork(RedisModel server) {
		this.server = server;
	}

	@Override
	public <T> CompletableFuture<T> exchange(Connection connection, Function<RedisModel, T> atServer) {
		synchronized (this.server) {
			try {
				return CompletableFuture.completedFuture(atServer.apply(this.server));
			}
			catch (RuntimeException ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}
	}

	@Override
	public void deliver(Runnable event) {
		this.messages.execute(event);
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

}
