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
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.github.lockspring.actuate.LocksDescriptors;
import io.github.lockspring.actuate.LocksEndpoint;
import io.github.lockspring.actuate.LocksEndpointWebExtension;
import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An operator looks at a key and releases it, with a holder in another process.
 */
class RedisForceReleaseServerTests {

	/**
	 * Not renewed during a test.
	 */
	private static final AcquireOptions LONG = AcquireOptions.exclusive(Duration.ofHours(1), true);

	private static final long WAIT = Duration.ofMinutes(1).toNanos();

	private static final String KEY = "a/b c:\u00fc";

	private final Queue<String> lost = new ConcurrentLinkedQueue<>();

	private RedisServer server;

	private RedisConnectionFactory factory;

	private LockEngine holder;

	private LockEngine operator;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
		this.factory = RedisStore.Client.LETTUCE.connect(RedisProcess.configuration(this.server));
		this.holder = engine();
		this.operator = engine();
	}

	private LockEngine engine() {
		EngineListener listener = new EngineListener() {

			@Override
			public void lost(String key, long token) {
				RedisForceReleaseServerTests.this.lost.add(key);
			}

		};
		return new LockEngine(new RedisLockBackend(this.factory, RedisLockSettings.defaults()),
				EngineSettings.defaults().withApplication("orders"), listener, TimeSource.SYSTEM);
	}

	@AfterEach
	void stop() throws Exception {
		this.server.resume();
		this.operator.close();
		this.holder.close();
		((DisposableBean) this.factory).destroy();
		this.server.close();
	}

	@Test
	void holderInAnotherProcessIsNotified() {
		Hold hold = this.holder.acquireUninterruptibly(KEY, LONG, this, WAIT);
		LeaseHolder found = this.operator.inspection().holders(KEY).get(0);
		assertThat(this.operator.inspection().forceReleaseAsync(KEY, found).join()).isTrue();
		Awaitility.await().until(() -> !hold.isHeld());
		Awaitility.await().untilAsserted(() -> assertThat(this.lost).containsExactly(KEY));
		hold.release();
	}

	@Test
	void waitingOwnerOfTheSameProcessIsNext() {
		Hold hold = this.holder.acquireUninterruptibly(KEY, LONG, this, WAIT);
		var next = this.holder.acquireAsync(KEY, LONG, "next", WAIT);
		this.operator.inspection().forceReleaseAsync(KEY, this.operator.inspection().holders(KEY).get(0)).join();
		assertThat(next.join().isHeld()).isTrue();
		assertThat(hold.isHeld()).isFalse();
		hold.release();
		next.join().release();
	}

	@Test
	void pausedServerIsReported() {
		Hold hold = this.holder.acquireUninterruptibly(KEY, LONG, this, WAIT);
		LocksEndpointWebExtension endpoint = new LocksEndpointWebExtension(
				new LocksEndpoint(LockEngines.of(this.operator), Duration.ofSeconds(1), (event) -> {
				}));
		this.server.pause();
		WebEndpointResponse<LocksDescriptors.Lock> response = endpoint.lock(new String[] { KEY }, null);
		assertThat(response.getStatus()).isEqualTo(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		Map<String, LocksDescriptors.KeyState> states = response.getBody().backends();
		assertThat(states.get("redis").error()).isNotBlank();
		this.server.resume();
		Awaitility.await()
			.until(() -> endpoint.lock(new String[] { KEY }, null).getStatus() == WebEndpointResponse.STATUS_OK);
		hold.release();
	}

}
