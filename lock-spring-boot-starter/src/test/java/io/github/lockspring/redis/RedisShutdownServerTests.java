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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application ends in time although the server does not answer.
 */
@Timeout(300)
class RedisShutdownServerTests {

	private static final long LONG = Duration.ofMinutes(5).toNanos();

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private static final EngineSettings SETTINGS = EngineSettings.defaults()
		.withOperationTimeout(Duration.ofSeconds(1));

	private static final int KEYS = 100;

	/**
	 * Much less than {@value #KEYS} times the operation timeout.
	 */
	private static final Duration IN_TIME = Duration.ofMinutes(1);

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void serverThatHangsDoesNotHoldUpTheEnd(boolean lettuce) {
		try (RedisServer server = RedisServer.start()) {
			LockEngine holder = engine(server, lettuce);
			LockEngine waiter = engine(server, lettuce);
			List<CompletableFuture<Hold>> waiting = new ArrayList<>();
			for (int i = 0; i < KEYS; i++) {
				assertThat(holder.acquireAsync("order:" + i, OPTIONS, this, LONG).join()).isNotNull();
				waiting.add(waiter.acquireAsync("order:" + i, OPTIONS, new Object(), Duration.ofMinutes(5).toNanos()));
			}
			server.pause();
			CompletableFuture<Void> end = CompletableFuture.runAsync(waiter::close).thenRunAsync(holder::close);
			assertThat(end).succeedsWithin(IN_TIME);
			server.resume();
			assertThat(waiting).allSatisfy((each) -> assertThat(each).failsWithin(IN_TIME)
				.withThrowableThat()
				.withCauseInstanceOf(EngineException.class));
		}
	}

	@Test
	void contendersLeaveTheQueueOfTheServerAtTheEnd() {
		try (RedisServer server = RedisServer.start()) {
			LockEngine holder = engine(server, true);
			LockEngine waiter = engine(server, true);
			for (int i = 0; i < KEYS; i++) {
				assertThat(holder.acquireAsync("order:" + i, OPTIONS, this, LONG).join()).isNotNull();
				waiter.acquireAsync("order:" + i, OPTIONS, new Object(), LONG);
			}
			waiter.close();
			holder.close();
			RedisStore.assertNothingLeft(server);
		}
	}

	private static LockEngine engine(RedisServer server, boolean lettuce) {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(server.host(), server.port());
		RedisLockSettings settings = RedisLockSettings.defaults().withOperationTimeout(SETTINGS.operationTimeout());
		return new LockEngine(new RedisLockBackend(factory(address, lettuce), settings), SETTINGS, EngineListener.NONE,
				TimeSource.SYSTEM);
	}

	private static RedisConnectionFactory factory(RedisStandaloneConfiguration address, boolean lettuce) {
		if (lettuce) {
			LettuceConnectionFactory factory = new LettuceConnectionFactory(address);
			factory.afterPropertiesSet();
			return factory;
		}
		JedisConnectionFactory factory = new JedisConnectionFactory(address);
		factory.afterPropertiesSet();
		return factory;
	}

}
