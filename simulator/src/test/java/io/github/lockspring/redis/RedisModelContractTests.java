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

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import io.github.lockspring.server.Torture;
import io.github.lockspring.simulator.redis.RedisModel;
import io.github.lockspring.simulator.redis.RedisNetwork;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockBackendContractTests;

/**
 * {@link LockBackendContractTests} for {@link RedisLockBackend} on a {@link RedisModel},
 * in real time. Needs the monitors of the JVM.
 */
@EnabledIfSystemProperty(named = "simulator.replace", matches = "false")
@Torture(alsoIn = "RedisModelServerTests")
class RedisModelContractTests extends LockBackendContractTests {

	private final RedisModel server = new RedisModel(() -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));

	@Override
	protected LockBackend backend() {
		return new ModelRedisClient(new DirectNetwork(this.server)).backend(RedisLockSettings.defaults());
	}

	@Override
	protected void expire(LeaseRequest lease) {
		synchronized (this.server) {
			LeaseExpiry.expire(lease, this.server::command);
		}
	}

	@Override
	protected LockBackend unreachableBackend() {
		return new ModelRedisClient(new RedisNetwork() {

			@Override
			public <T> CompletableFuture<T> exchange(Connection connection, Function<RedisModel, T> atServer) {
				return CompletableFuture.failedFuture(new BackendUnavailableException("There is no server", null));
			}

			@Override
			public void deliver(Runnable event) {
				throw new IllegalStateException("There is no server");
			}

			@Override
			public long nanoTime() {
				return System.nanoTime();
			}

		}).backend(RedisLockSettings.defaults());
	}

}
