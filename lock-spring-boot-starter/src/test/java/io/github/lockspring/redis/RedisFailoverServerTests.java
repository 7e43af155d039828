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
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.FaultRun.Load;
import io.github.lockspring.faults.FaultRun.Span;
import io.github.lockspring.server.RedisCluster;
import io.github.lockspring.server.RedisSentinels;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A replica takes over while four processes contend.
 */
class RedisFailoverServerTests {

	private static final Duration LEASE = Duration.ofSeconds(2);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, true);

	/**
	 * Renewed so late that another has long been granted the key when it is lost.
	 */
	private static final Duration LONG_LEASE = LEASE.multipliedBy(3);

	private static final AcquireOptions LONG_TERMS = AcquireOptions.exclusive(LONG_LEASE, true);

	private static final Duration LENGTH = Duration.ofSeconds((FaultRun.SCALE > 1) ? 12 : 6);

	private static final List<String> KEYS = List.of("hot", "warm", "cold");

	private static final Load LOAD = new Load(KEYS,
			List.of(OPTIONS, OPTIONS.withRetain(LEASE), AcquireOptions.fair(LEASE, true)),
			List.of(Duration.ZERO, Duration.ofMillis(500), Duration.ofSeconds(5)), Duration.ofMillis(20),
			LEASE.plusSeconds(1));

	private FaultRun run;

	@BeforeEach
	void start() {
		this.run = new FaultRun(getClass().getSimpleName());
	}

	@AfterEach
	void stop() {
		this.run.close();
	}

	@Test
	void failoverBySentinelGrantsTwiceForALeaseAtMost() throws Exception {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			RedisConfiguration configuration = new RedisSentinelConfiguration(RedisSentinels.MASTER_NAME,
					Set.copyOf(sentinels.sentinelAddresses()));
			for (int i = 0; i < FaultRun.SCALE; i++) {
				RedisServer former = sentinels.master();
				workWhile(configuration, LENGTH, sentinels::failOverByKill);
				if (i + 1 < FaultRun.SCALE) {
					former.restart();
					sentinels.awaitReady();
				}
			}
			assertLostGrantIsKnownSoon(configuration, sentinels.master());
			assertEnd(sentinels.master());
		}
	}

	/**
	 * The former primary comes back, and accepts writes until it is demoted.
	 */
	@Test
	@Torture(alsoIn = "RedisFailoverServerTests#failoverBySentinelGrantsTwiceForALeaseAtMost")
	void primaryThatComesBackGrantsTwiceForALeaseAtMost() throws Exception {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			RedisConfiguration configuration = new RedisSentinelConfiguration(RedisSentinels.MASTER_NAME,
					Set.copyOf(sentinels.sentinelAddresses()));
			for (int i = 0; i < FaultRun.SCALE; i++) {
				RedisServer former = sentinels.master();
				workWhile(configuration, FaultRun.MAX_WAIT.dividedBy(2), () -> {
					sentinels.failOverByPause();
					former.resume();
					// The one that becomes a replica closes its connections
					FaultRun.eventually()
						.ignoreExceptions()
						.until(() -> former.info("replication").get("role").equals("slave"));
				});
				sentinels.awaitReady();
			}
			assertEnd(sentinels.master());
		}
	}

	@Test
	void failoverInClusterGrantsTwiceForALeaseAtMost() throws Exception {
		try (RedisCluster cluster = RedisCluster.start()) {
			RedisConfiguration configuration = new RedisClusterConfiguration(cluster.addresses());
			for (int i = 0; i < FaultRun.SCALE; i++) {
				int slot = cluster.slot(KEYS.get(i % KEYS.size()));
				RedisServer former = cluster.master(slot);
				workWhile(configuration, LENGTH, () -> cluster.failOver(slot));
				if (i + 1 < FaultRun.SCALE) {
					former.restart();
					cluster.awaitReady();
				}
			}
			assertLostGrantIsKnownSoon(configuration, cluster.master(cluster.slot("forgotten")));
			assertEnd(cluster.nodes().stream().filter(RedisServer::isRunning).toArray(RedisServer[]::new));
		}
	}

	private void workWhile(RedisConfiguration configuration, Duration length, Runnable failover) throws Exception {
		int grants = this.run.history.acquisitions().size();
		List<EngineProcess> processes = this.run.startProcesses(4, new RedisStore(configuration));
		for (EngineProcess process : processes) {
			this.run.startWorkers(process, 2, LOAD, length);
		}
		Thread.sleep(500 + this.run.random.nextInt(500));
		long start = System.nanoTime();
		failover.run();
		long end = System.nanoTime();
		this.run.say("failover took " + Duration.ofNanos(end - start).toMillis() + " ms");
		this.run.awaitThreads();
		this.run.assertProgress();
		assertThat(this.run.history.acquisitions()).hasSizeGreaterThan(grants)
			.anyMatch((acquisition) -> acquisition.from() - end > 0);
		this.run.assertEveryoneAcquires(KEYS);
		this.run
			.say(this.run.assertDoubleGrantsOnlyIn(List.of(new Span(start, end + LEASE.toNanos()))) + " double grants");
		this.run.assertTokensGrow();
		this.run.endProcesses();
		this.run.history.clear();
	}

	/**
	 * What a failover may do happens for sure: the new primary has never heard of a
	 * grant. The key is deleted for that, with its last token.
	 */
	private void assertLostGrantIsKnownSoon(RedisConfiguration configuration, RedisServer primary) throws Exception {
		EngineProcess one = this.run.startProcess(new RedisStore(configuration));
		EngineProcess two = this.run.startProcess(new RedisStore(configuration));
		Hold first = this.run.acquire(one, "forgotten", LONG_TERMS, FaultRun.MAX_WAIT);
		assertThat(first).isNotNull();
		long start = System.nanoTime();
		primary.command("DEL", "{forgotten}");
		Thread second = this.run.startThread("second", () -> {
			Hold hold = this.run.acquire(two, "forgotten", OPTIONS, FaultRun.MAX_WAIT);
			assertThat(hold).isNotNull();
			assertThat(hold.token()).isGreaterThan(first.token());
			assertThat(this.run.use("second", start, hold, LEASE.multipliedBy(2))).isTrue();
		});
		assertThat(this.run.use("first", start, first, LONG_LEASE)).isFalse();
		second.join();
		FaultRun.eventually().untilAsserted(() -> assertThat(one.lostTokens).containsExactly(first.token()));
		assertThat(this.run.assertDoubleGrantsOnlyIn(List.of(new Span(start, start + LONG_LEASE.toNanos()))))
			.isEqualTo(1);
		this.run.assertTokensGrow();
	}

	private void assertEnd(RedisServer... servers) {
		this.run.assertNoViolations();
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(servers));
	}

}
