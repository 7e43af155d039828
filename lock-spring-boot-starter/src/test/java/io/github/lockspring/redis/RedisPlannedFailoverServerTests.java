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
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.LockHistory.Acquisition;
import io.github.lockspring.faults.LockHistory.Overlap;
import io.github.lockspring.server.RedisSentinels;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.Torture;
import io.github.lockspring.spi.Grant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sentinels promote a replica on command, while the former primary continues as if
 * nothing had happened for some ten seconds.
 */
class RedisPlannedFailoverServerTests {

	private static final Duration LEASE = Duration.ofSeconds(2);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, true);

	private static final AcquireOptions LONG_TERMS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private static final AcquireOptions FAIR_TERMS = AcquireOptions.fair(Duration.ofSeconds(30), true);

	private static final List<String> KEYS = List.of("hot", "warm", "cold");

	private FaultRun run;

	@BeforeEach
	void start() {
		this.run = new FaultRun(getClass().getSimpleName());
	}

	@AfterEach
	void stop() {
		this.run.close();
	}

	/**
	 * What the new primary does not know is lost, although the former one would renew it.
	 */
	@ParameterizedTest
	@EnumSource
	void formerPrimaryIsLeftAtOnce(RedisStore.Client client) throws Exception {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			EngineProcess process = this.run.startProcess(store(sentinels, client));
			Hold kept = this.run.acquire(process, "kept", LONG_TERMS, FaultRun.MAX_WAIT);
			Hold forgotten = this.run.acquire(process, "forgotten", LONG_TERMS, FaultRun.MAX_WAIT);
			RedisServer former = sentinels.master();
			RedisServer successor = sentinels.failOver();
			successor.command("DEL", "{forgotten}");
			FaultRun.eventually().until(() -> arrivesAt(successor, process));
			FaultRun.eventually().until(() -> !forgotten.isHeld());
			assertThat(former.info("replication")).as("takes writes still").containsEntry("role", "master");
			FaultRun.eventually().until(kept::isHeld);
			assertThat((Long) former.command("PTTL", "{kept}")).isPositive();
			assertThat(this.run.release(kept)).isTrue();
			assertThat(former.command("HGET", "{kept}", "state")).asString().contains(" x ");
		}
	}

	/**
	 * A process that has not noticed it may still use the former primary.
	 */
	@ParameterizedTest
	@EnumSource
	void tokensOfTheNewPrimaryAreLargerThanThoseThatTheFormerOneGrantsLater(RedisStore.Client client) throws Exception {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			EngineProcess process = this.run.startProcess(store(sentinels, client));
			RedisServer former = sentinels.master();
			RedisServer successor = sentinels.failOver();
			FaultRun.eventually().until(() -> arrivesAt(successor, process));
			EngineProcess late = this.run.startProcess(store(sentinels, client));
			List<String> keys = List.of("known", "known at the start", "queued");
			long[] tokens = { token(process, keys.get(0)), token(late, keys.get(1)),
					queuedToken(process, keys.get(2)) };
			try (RedisProcess stale = RedisProcess.on(former)) {
				for (int i = 0; i < tokens.length; i++) {
					Grant grant = stale.tryAcquire(stale.request(keys.get(i)));
					assertThat(grant).isNotNull();
					assertThat(grant.token()).as(keys.get(i)).isLessThan(tokens[i]);
				}
			}
			assertThat(former.info("replication")).as("takes writes still").containsEntry("role", "master");
		}
	}

	private long token(EngineProcess process, String key) {
		Hold hold = this.run.acquire(process, key, LONG_TERMS, FaultRun.MAX_WAIT);
		assertThat(hold).isNotNull();
		return hold.token();
	}

	/**
	 * The token that a release grants to one that waits.
	 */
	private long queuedToken(EngineProcess process, String key) throws Exception {
		Hold first = this.run.acquire(process, key, FAIR_TERMS, FaultRun.MAX_WAIT);
		AtomicLong token = new AtomicLong();
		Thread second = this.run.startThread("second", () -> {
			Hold hold = this.run.acquire(process, key, FAIR_TERMS, FaultRun.MAX_WAIT);
			token.set(hold.token());
			this.run.release(hold);
		});
		FaultRun.eventually().until(() -> second.getState() == Thread.State.TIMED_WAITING);
		this.run.release(first);
		second.join();
		assertThat(token.get()).isGreaterThan(first.token());
		return token.get();
	}

	private boolean arrivesAt(RedisServer server, EngineProcess process) {
		Hold hold = this.run.acquire(process, "new", LONG_TERMS, Duration.ofSeconds(1));
		boolean arrived = String.valueOf(server.command("HGET", "{new}", "state")).contains(" x ");
		return hold != null && this.run.release(hold) && arrived;
	}

	/**
	 * They accept connections, and do not say anything.
	 */
	@ParameterizedTest
	@EnumSource
	@Torture(alsoIn = "RedisPlannedFailoverServerTests#formerPrimaryIsLeftAtOnce")
	void locksWorkWhenAllSentinelsArePaused(RedisStore.Client client) throws Exception {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			EngineProcess process = this.run.startProcess(store(sentinels, client));
			Hold kept = this.run.acquire(process, "kept", LONG_TERMS, FaultRun.MAX_WAIT);
			sentinels.sentinels().forEach(RedisServer::pause);
			long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
			while (System.nanoTime() - end < 0) {
				Hold hold = this.run.acquire(process, "new", LONG_TERMS, Duration.ofSeconds(5));
				assertThat(hold).isNotNull();
				assertThat(this.run.release(hold)).isTrue();
				assertThat(kept.isHeld()).isTrue();
			}
			sentinels.sentinels().forEach(RedisServer::resume);
			this.run.assertNoViolations();
		}
	}

	@ParameterizedTest
	@EnumSource
	@Torture(alsoIn = "RedisPlannedFailoverServerTests#formerPrimaryIsLeftAtOnce")
	void plannedFailoverUnderLoad(RedisStore.Client client) throws Exception {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			for (int i = 0; i < FaultRun.SCALE; i++) {
				List<EngineProcess> processes = this.run.startProcesses(4, store(sentinels, client));
				Resources resources = new Resources();
				long end = System.nanoTime() + Duration.ofSeconds(15).toNanos();
				processes.forEach((process) -> startWriters(process, resources, end));
				Thread.sleep(1000);
				sentinels.failOver();
				this.run.startProcesses(2, store(sentinels, client))
					.forEach((process) -> startWriters(process, resources, end));
				this.run.awaitThreads();
				report(resources);
				this.run.assertNoViolations();
				this.run.assertEveryoneAcquires(KEYS);
				this.run.endProcesses();
				this.run.history.clear();
				sentinels.awaitReady();
			}
		}
	}

	private void report(Resources resources) {
		this.run.sayFigures();
		List<Overlap> overlaps = this.run.history.overlaps();
		long longest = overlaps.stream().mapToLong(RedisPlannedFailoverServerTests::length).max().orElse(0);
		this.run.say(overlaps.size() + " overlaps, the longest " + longest / 1_000 + " us, " + resources.stale.get()
				+ " stale writes accepted, " + resources.rejected.get() + " writes rejected, "
				+ this.run.history.tokensThatWentBack().size() + " tokens went back");
		assertThat(resources.stale).hasValue(0);
		assertThat(this.run.history.tokensThatWentBack()).isEmpty();
		assertThat(longest).as("longest overlap").isLessThan(LEASE.toNanos());
	}

	private static long length(Overlap overlap) {
		return Math.min(overlap.first().until(), overlap.second().until()) - overlap.second().from();
	}

	private void startWriters(EngineProcess process, Resources resources, long end) {
		for (int i = 0; i < 2; i++) {
			Random random = new Random(this.run.random.nextLong());
			this.run.startThread("writer", () -> {
				while (System.nanoTime() - end < 0) {
					String key = KEYS.get(random.nextInt(KEYS.size()));
					long asked = System.nanoTime();
					Hold hold = this.run.acquire(process, key, OPTIONS, Duration.ofSeconds(1));
					if (hold != null) {
						write(resources, asked, hold, (random.nextInt(20) == 0) ? 3_000 : random.nextInt(20));
					}
				}
			});
		}
	}

	private void write(Resources resources, long asked, Hold hold, int millis) throws InterruptedException {
		long from = System.nanoTime();
		long until = from;
		Acquisition acquisition = new Acquisition(hold.key(), "writer", hold.token(), asked, from, from);
		while (hold.isHeld() && System.nanoTime() - from < millis * 1_000_000L) {
			resources.write(acquisition);
			Thread.sleep(1);
			until = hold.isHeld() ? System.nanoTime() : until;
		}
		this.run.history.add(new Acquisition(hold.key(), "writer", hold.token(), asked, from, until));
		this.run.release(hold);
	}

	private static RedisStore store(RedisSentinels sentinels, RedisStore.Client client) {
		return new RedisStore(
				new RedisSentinelConfiguration(RedisSentinels.MASTER_NAME, Set.copyOf(sentinels.sentinelAddresses())),
				client);
	}

	/**
	 * What is written to by those that hold, and rejects tokens smaller than the largest.
	 */
	private static final class Resources {

		final AtomicInteger stale = new AtomicInteger();

		final AtomicInteger rejected = new AtomicInteger();

		private final Map<String, Acquisition> last = new ConcurrentHashMap<>();

		/**
		 * Counts a write as stale if it is accepted after one of someone who had asked
		 * for the lock when the writer had it already.
		 */
		void write(Acquisition writer) {
			this.last.merge(writer.key(), writer, (former, next) -> {
				if (next.token() < former.token()) {
					this.rejected.incrementAndGet();
					return former;
				}
				if (next.from() - former.asked() < 0) {
					this.stale.incrementAndGet();
				}
				return next;
			});
		}

	}

}
