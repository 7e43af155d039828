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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The server does what it is asked, and the reply gets lost with the connection.
 */
class RedisReplyDroppedServerTests {

	private static final int TIMES = (FaultRun.SCALE > 1) ? 100 * FaultRun.SCALE : 30;

	/**
	 * Much longer than any wait here: whatever is lost blocks a key for longer.
	 */
	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(Duration.ofMinutes(2), true);

	private static final Duration WAIT = FaultRun.MAX_WAIT;

	private RedisServer server;

	private FaultProxy proxy;

	private FaultRun run;

	private EngineProcess victim;

	private EngineProcess other;

	private int dropped;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
		this.proxy = new FaultProxy(this.server.host(), this.server.port());
		this.run = new FaultRun(getClass().getSimpleName(),
				EngineSettings.defaults().withPoll(Duration.ofMillis(1), Duration.ofMillis(20), Duration.ofMillis(20)));
		this.victim = this.run
			.startProcess(new RedisStore(new RedisStandaloneConfiguration(this.proxy.host(), this.proxy.port())));
		this.other = this.run.startProcess(RedisStore.on(this.server));
		Hold hold = this.victim.engine.acquireUninterruptibly("warm-up", OPTIONS, this, WAIT.toNanos());
		this.run.release(hold); // has the scripts loaded
		RedisStore.awaitSetup();
	}

	@AfterEach
	void stop() {
		this.run.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void acquireWaitsForItsOwnLostGrantToBeReleased() throws Exception {
		for (int i = 0; i < TIMES; i++) {
			String key = "key-" + this.run.random.nextInt(3);
			Future<String> reply = drop(RedisScript.ACQUIRE);
			long asked = System.nanoTime();
			Hold hold = this.run.acquire(this.victim, key, OPTIONS, WAIT);
			assertThat(hold).as("attempt %d", i).isNotNull();
			assertThat(hold.token()).isGreaterThan(lostTokenOf(reply));
			assertThat(this.run.use("victim", asked, hold, Duration.ZERO)).isTrue();
			assertOtherAcquires(key);
		}
		assertReplies();
	}

	@Test
	void acquireThatTriesOnceFailsAndLeavesNothing() throws Exception {
		int attempts = 0;
		for (int i = 0; i < TIMES; i++) {
			String key = "key-" + this.run.random.nextInt(3);
			Future<String> reply = drop(RedisScript.ACQUIRE);
			do {
				assertThat(this.run.acquire(this.victim, key, OPTIONS, Duration.ZERO)).isNull();
				assertThat(this.run.unavailable).hasSize(++attempts);
			}
			while (!isDropped(reply));
			lostTokenOf(reply);
			assertOtherAcquires(key);
		}
		assertReplies();
	}

	@Test
	void releaseDoesNotFailAndTheNextAcquireWorks() throws Exception {
		for (int i = 0; i < TIMES; i++) {
			String key = "key-" + this.run.random.nextInt(3);
			long asked = System.nanoTime();
			Hold hold = this.run.acquire(this.victim, key, OPTIONS, WAIT);
			assertThat(hold).isNotNull();
			Future<String> reply = drop(RedisScript.RELEASE);
			assertThat(this.run.use("victim", asked, hold, Duration.ZERO)).isTrue();
			lostTokenOf(reply);
			if (this.run.random.nextBoolean()) {
				asked = System.nanoTime();
				Hold next = this.run.acquire(this.victim, key, OPTIONS, WAIT);
				assertThat(next).isNotNull();
				assertThat(this.run.use("victim", asked, next, Duration.ofMillis(this.run.random.nextInt(20))))
					.isTrue();
			}
			assertOtherAcquires(key);
		}
		assertReplies();
	}

	@Test
	void leaseThatIsExtendedToAShorterTimeIsNotHeldAnyLonger() throws Exception {
		AcquireOptions unrenewed = AcquireOptions.exclusive(Duration.ofMinutes(2), false);
		Hold hold = this.run.acquire(this.victim, "key", unrenewed, WAIT);
		assertThat(hold).isNotNull();
		Future<String> reply = drop(RedisScript.RENEW);
		assertThatExceptionOfType(EngineException.class)
			.isThrownBy(() -> hold.extend(AcquireOptions.exclusive(Duration.ofMillis(200), false)));
		assertThat(isDropped(reply)).isTrue();
		Hold next = this.run.acquire(this.other, "key", OPTIONS, WAIT);
		assertThat(next).isNotNull();
		assertThat(hold.isHeld()).isFalse();
		assertThat(this.run.release(next)).isTrue();
	}

	@Test
	void leaseThatIsNotReleasedForAnotherRemainsHeldAndIsReleasedAfterItsUse() throws Exception {
		AcquireOptions retained = OPTIONS.withRetain(Duration.ofMinutes(1));
		int declined = 0;
		for (int i = 0; i < TIMES; i++) {
			Hold hold = this.run.acquire(this.victim, "key", retained, WAIT);
			assertThat(hold).isNotNull();
			Future<String> reply = drop(RedisScript.DECLINE_RECALL);
			assertThat(this.run.acquire(this.other, "key", OPTIONS, Duration.ZERO)).isNull();
			declined += isDropped(reply) ? 1 : 0;
			assertThat(hold.isHeld()).isTrue();
			assertThat(this.run.release(hold)).isTrue();
			assertOtherAcquires("key");
		}
		assertThat(declined).isPositive();
		assertThat(this.run.unavailable).isEmpty();
		assertEnd();
	}

	/**
	 * The request does not reach the server, which therefore has the lease still.
	 */
	@Test
	void releaseThatIsLostIsMadeGood() {
		for (int i = 0; i < TIMES / 10; i++) {
			Hold hold = this.run.acquire(this.victim, "key", OPTIONS, WAIT);
			assertThat(hold).isNotNull();
			this.proxy.retarget("localhost", 1);
			this.proxy.cut();
			assertThat(this.run.release(hold)).isTrue();
			this.proxy.retarget(this.server.host(), this.server.port());
			assertOtherAcquires("key");
		}
		assertEnd();
	}

	@Test
	void replayedAcquireAnswersTheSameToken() throws Exception {
		try (RedisProcess process = new RedisProcess(this.proxy.port())) {
			RedisStore.awaitSetup();
			for (int i = 0; i < TIMES; i++) {
				LeaseRequest request = process.request("key");
				Future<String> reply = drop(RedisScript.ACQUIRE);
				assertThatExceptionOfType(BackendException.class).isThrownBy(() -> process.tryAcquire(request));
				Grant grant = replay(process, request);
				assertThat(grant.token()).isEqualTo(lostTokenOf(reply));
				assertThat(process.release(request)).isTrue();
			}
		}
		assertReplies();
	}

	private static Grant replay(RedisProcess process, LeaseRequest request) {
		return persistently().until(() -> process.tryAcquire(request), (grant) -> grant != null);
	}

	private static ConditionFactory persistently() {
		return FaultRun.eventually()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.ignoreExceptionsInstanceOf(BackendException.class);
	}

	@Test
	void replayedReleaseLeavesTheSuccessorAlone() throws Exception {
		try (RedisProcess process = new RedisProcess(this.proxy.port())) {
			RedisStore.awaitSetup();
			for (int i = 0; i < TIMES; i++) {
				LeaseRequest request = process.request("key");
				replay(process, request);
				drop(RedisScript.RELEASE);
				assertThatExceptionOfType(BackendException.class).isThrownBy(() -> process.release(request));
				Hold successor = this.run.acquire(this.other, "key", OPTIONS, WAIT);
				assertThat(successor).isNotNull();
				assertThat(persistently().until(() -> process.release(request), (answer) -> true)).isFalse();
				assertThat(this.other.backend.inspect("key", RedisProcess.TIMEOUT)).hasSize(1);
				assertThat(this.run.release(successor)).isTrue();
			}
		}
		assertEnd();
	}

	/**
	 * The reply to a repetition is lost now and then as well, and others count on.
	 */
	@Test
	void repeatedUpdateCountsOnce() throws Exception {
		try (RedisProcess process = new RedisProcess(this.proxy.port());
				RedisProcess others = RedisProcess.on(this.server)) {
			RedisStore.awaitSetup();
			process.add("value", 1);
			long sum = 1;
			for (int i = 0; i < TIMES; i++) {
				ValueUpdate update = process.update("value", new ValueChange.Add(1 + i, Long.MIN_VALUE));
				Future<String> reply = drop(RedisScript.UPDATE_VALUE);
				assertThatExceptionOfType(BackendException.class).isThrownBy(() -> process.apply(update));
				assertThat(reply.get(1, TimeUnit.MINUTES)).contains(sum + " ");
				others.add("value", 1000);
				if (this.run.random.nextBoolean()) {
					drop(RedisScript.UPDATE_VALUE);
				}
				ValueUpdateResult result = persistently().until(() -> process.apply(update.again()), (any) -> true);
				assertThat(result.before().number()).isEqualTo(sum);
				assertThat(result.after().number()).isEqualTo(sum + 1 + i);
				sum += 1 + i + 1000;
				assertThat(others.read("value").number()).isEqualTo(sum);
			}
		}
	}

	private Future<String> drop(RedisScript script) {
		return this.proxy.dropReply(new String(script.sha(1), StandardCharsets.ISO_8859_1));
	}

	/**
	 * An attempt that finds no connection, after the one before lost it, sends nothing.
	 */
	private boolean isDropped(Future<String> reply) throws Exception {
		try {
			reply.get(2, TimeUnit.SECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
	}

	/**
	 * Takes what the reply said. Now and then it is another one than was meant, because
	 * the engine asked something in the background at the same time.
	 */
	private long lostTokenOf(Future<String> reply) throws Exception {
		List<String> lines = reply.get(1, TimeUnit.MINUTES).lines().toList();
		String last = lines.get(lines.size() - 1);
		long number = last.startsWith(":") ? Long.parseLong(last.substring(1)) : 0;
		this.dropped += (number > 0) ? 1 : 0;
		return number;
	}

	private void assertOtherAcquires(String key) {
		long asked = System.nanoTime();
		Hold hold = this.run.acquire(this.other, key, OPTIONS, WAIT);
		assertThat(hold).as("the key is not free").isNotNull();
		assertThat(this.run.use("other", asked, hold, Duration.ZERO)).isTrue();
	}

	private void assertReplies() {
		this.run.say(this.dropped + " of " + TIMES + " replies to a grant or a release were dropped");
		assertThat(this.dropped).isGreaterThan(TIMES / 2);
		assertEnd();
	}

	private void assertEnd() {
		this.run.assertNoViolations();
		this.run.assertExclusion();
		assertThat(this.run.losses()).isZero();
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(this.server));
	}

}
