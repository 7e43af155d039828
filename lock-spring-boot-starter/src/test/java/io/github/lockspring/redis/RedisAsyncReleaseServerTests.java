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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.server.Direction;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link RedisLockBackend#releaseAsync(LeaseRequest, Duration)}.
 */
class RedisAsyncReleaseServerTests {

	private final RedisServer server = RedisServer.start();

	private final FaultProxy proxy = new FaultProxy(this.server.host(), this.server.port());

	private final RedisProcess process = new RedisProcess(this.proxy.port());

	@AfterEach
	void close() {
		this.proxy.heal();
		this.process.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void answerIsNotWaitedForAndOrderIsKept() throws Exception {
		this.process.release(this.process.request("key"));
		LeaseRequest lease = this.process.request("key");
		this.process.tryAcquire(lease);
		this.proxy.delay(Direction.DOWN, Duration.ofSeconds(1));
		this.server.pause();
		CompletableFuture<Boolean> answer = release(lease, RedisProcess.TIMEOUT);
		assertThat(answer).isNotDone();
		this.server.resume();
		assertThat(this.process.tryAcquire(this.process.request("key"))).isNotNull();
		assertThat(answer.get(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void scriptThatTheServerForgotIsSentAgain() throws Exception {
		LeaseRequest lease = this.process.request("key");
		this.process.tryAcquire(lease);
		this.server.flushScripts();
		assertThat(release(lease, RedisProcess.TIMEOUT).get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(release(lease, RedisProcess.TIMEOUT).get(10, TimeUnit.SECONDS)).isFalse();
	}

	@Test
	void shutdownWaitsForTheAnswers() throws Exception {
		LockEngine engine = new LockEngine(this.process.backend,
				EngineSettings.defaults().withOperationTimeout(RedisProcess.TIMEOUT).withAsyncRelease(true),
				EngineListener.NONE, TimeSource.SYSTEM);
		Hold hold = engine.acquire("key", AcquireOptions.exclusive(RedisProcess.LEASE_TIME, true),
				RedisProcess.TIMEOUT.toNanos());
		this.proxy.delay(Direction.UP, Duration.ofSeconds(1));
		assertThat(hold.release()).isTrue();
		engine.shutdown(Duration.ZERO);
		assertThat((String) this.server.command("HGET", "{key}", "state")).matches("1 \\d+");
	}

	@Test
	void silenceEndsInAnUnknownOutcome() {
		LeaseRequest lease = this.process.request("key");
		this.process.tryAcquire(lease);
		this.proxy.hole(Direction.BOTH);
		assertThat(release(lease, Duration.ofMillis(100))).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withRootCauseInstanceOf(java.util.concurrent.TimeoutException.class)
			.havingCause()
			.isInstanceOf(OutcomeUnknownException.class);
	}

	private CompletableFuture<Boolean> release(LeaseRequest lease, Duration timeout) {
		return this.process.backend.releaseAsync(lease, timeout).toCompletableFuture();
	}

}
