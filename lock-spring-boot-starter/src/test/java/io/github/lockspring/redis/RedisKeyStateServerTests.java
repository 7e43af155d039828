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
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.PermitLimitException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Compares the scripts with the {@linkplain io.github.lockspring.spi.state.KeyState model
 * of a key}, on which the local backend is built: the same random requests get the same
 * answers on a real server, and leave the same holders and the same queue.
 * {@code -Dlock.test.seed} repeats the choices of another run.
 */
class RedisKeyStateServerTests {

	private static final int SEQUENCES = 50 * Integer.getInteger("lock.test.scale", 1);

	private static final int STEPS = 40;

	/**
	 * Half the time after which a grant by notification lapses unless it is renewed.
	 */
	private static final Duration MAX_PAUSE = Duration.ofMillis(500);

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final Duration SHORT = Duration.ofMillis(200);

	private final long seed = Long.getLong("lock.test.seed", System.nanoTime());

	private final String instance = OwnerId.newInstance();

	private final RedisServer server = RedisServer.shared();

	private final LocalStore store = new LocalStore();

	private final LocalLockBackend local = new LocalLockBackend(this.store);

	private RedisProcess process;

	private long owners;

	private int steps;

	@BeforeEach
	void start() {
		this.process = RedisProcess.on(this.server);
		this.local.start(this.process);
	}

	@AfterEach
	void stop() {
		this.process.close();
		this.local.close();
	}

	@Test
	void scriptsAnswerLikeTheModel() {
		compare(1);
	}

	/**
	 * New requests have the newest limit and do not wait: the scripts remember the newest
	 * limit as long as permits are held, but do not know of one that is only waited for.
	 */
	@Test
	void scriptsAnswerLikeTheModelWhenTheLimitIsChanged() {
		compare(3);
	}

	/**
	 * It is shortened by a renewal, by a repeated request, and by a downgrade.
	 */
	@Test
	void shareThatIsShortenedEndsBeforeItsFormerEnd() {
		LeaseMode permits = LeaseMode.permits(2, 2);
		LeaseRequest downgraded = share("downgraded", permits, LONG, 3);
		assertThat(this.process.tryAcquire(share("renewed", LeaseMode.SHARED, LONG, 1))).isNotNull();
		assertThat(this.process.tryAcquire(share("repeated", permits, LONG, 2))).isNotNull();
		assertThat(this.process.tryAcquire(downgraded)).isNotNull();
		LeaseRequest renewed = share("renewed", LeaseMode.SHARED, SHORT, 1);
		assertThat(this.process.backend.renew(List.of(renewed), RedisProcess.TIMEOUT).lost()).isEmpty();
		assertThat(this.process.tryAcquire(share("repeated", permits, SHORT, 2))).isNotNull();
		assertThat(this.process.backend.downgrade(downgraded, share("downgraded", LeaseMode.permits(1, 2), SHORT, 4),
				RedisProcess.TIMEOUT))
			.isInstanceOf(Grant.class);
		assertThat(List.of("renewed", "repeated", "downgraded")).allSatisfy((key) -> await().untilAsserted(
				() -> assertThat(this.process.tryAcquire(this.process.request(key + this.instance))).isNotNull()));
	}

	private LeaseRequest share(String key, LeaseMode mode, Duration leaseTime, long sequence) {
		return new LeaseRequest(key + this.instance, new LeaseTerms(mode, false, leaseTime, 1), this.instance,
				sequence);
	}

	private void compare(int limits) {
		for (int i = 0; i < SEQUENCES; i++) {
			new Sequence(new Random(this.seed + i), limits).run();
		}
		System.out.println(this.steps + " steps with -Dlock.test.seed=" + this.seed);
		assertThat(this.steps).isGreaterThan(SEQUENCES);
	}

	/**
	 * Requests for two keys, from their first to their last.
	 */
	private final class Sequence {

		private final List<String> history = new ArrayList<>();

		private final List<LeaseRequest> requests = new ArrayList<>();

		private final Random random;

		private final int limits;

		private final List<String> keys;

		private int steps;

		private long renewed = System.nanoTime();

		Sequence(Random random, int limits) {
			this.random = random;
			this.limits = limits;
			String name = UUID.randomUUID().toString();
			this.keys = List.of('{' + name + "}a", '{' + name + "}b");
		}

		void run() {
			for (; this.steps < STEPS && !isTooSlow(); this.steps++) {
				step();
				this.keys.forEach(this::compareStates);
				renew();
			}
			RedisKeyStateServerTests.this.steps += this.steps;
			List.copyOf(this.requests).forEach(this::release);
		}

		private boolean isTooSlow() {
			return System.nanoTime() - this.renewed > MAX_PAUSE.toNanos();
		}

		private void step() {
			LeaseRequest known = this.requests.isEmpty() ? null
					: this.requests.get(this.random.nextInt(this.requests.size()));
			int choice = this.random.nextInt(12);
			if (known == null || choice < 4 || (choice < 6 && this.limits > 1)) {
				attempt(request(), this.random.nextInt(3) > 0);
			}
			else if (choice < 6) {
				attempt(known, !known.hasMultipleKeys());
			}
			else if (choice < 8) {
				release(known);
			}
			else {
				seldom(choice, known);
			}
		}

		private void seldom(int choice, LeaseRequest known) {
			switch (choice) {
				case 8 -> downgrade(known);
				case 9 -> expire(known);
				case 10 -> forceRelease(known.key());
				default -> {
					same("poll",
							(backend) -> backend
								.poll(this.requests.stream().filter((request) -> !request.hasMultipleKeys()).toList(),
										RedisProcess.TIMEOUT)
								.keySet());
					if (this.random.nextInt(3) == 0 && !known.hasMultipleKeys()) {
						same("release with delay " + known, (backend) -> backend.releaseWithDelay(known,
								RedisProcess.LEASE_TIME, RedisProcess.TIMEOUT));
						this.requests.remove(known);
					}
				}
			}
		}

		private void attempt(LeaseRequest request, boolean queueing) {
			boolean queued = queueing && !request.hasMultipleKeys() && this.limits == 1;
			Object answer = same((queued ? "contend " : "try ") + describe(request),
					(backend) -> answer(backend, request, queued));
			boolean waits = queued && answer.equals("denied");
			if ((waits || answer.equals("granted")) && !this.requests.contains(request)) {
				this.requests.add(request);
			}
		}

		private static String describe(LeaseRequest request) {
			return request + (request.terms().fair() ? ", fair, of " : " of ")
					+ request.keys().stream().map((key) -> key.substring(key.length() - 1)).toList();
		}

		private Object answer(LockBackend backend, LeaseRequest request, boolean queueing) {
			try {
				Attempt attempt = queueing ? backend.contend(request, RedisProcess.TIMEOUT)
						: backend.tryAcquire(request, RedisProcess.TIMEOUT);
				return (attempt instanceof Grant) ? "granted" : "denied";
			}
			catch (PermitLimitException ex) {
				return "limit " + ex.limit() + '/' + ex.version();
			}
		}

		private void downgrade(LeaseRequest held) {
			LeaseMode mode = held.terms().mode();
			if (held.hasMultipleKeys() || mode.equals(LeaseMode.SHARED)) {
				return;
			}
			LeaseMode weaker = (mode instanceof Permits some)
					? LeaseMode.permits((some.permits() + 1) / 2, some.limit(), some.version()) : LeaseMode.SHARED;
			LeaseRequest request = request(List.of(held.key()), weaker, false);
			Object granted = same("downgrade " + describe(held) + " to " + describe(request),
					(backend) -> backend.downgrade(held, request, RedisProcess.TIMEOUT) instanceof Grant);
			if (granted.equals(true)) {
				this.requests.remove(held);
				this.requests.add(request);
			}
		}

		/**
		 * Ends a lease, and lets Redis notice: the local store does so with every call.
		 */
		private void expire(LeaseRequest lease) {
			LeaseExpiry.expire(lease, RedisKeyStateServerTests.this.server::command);
			RedisKeyStateServerTests.this.store.expire(lease);
			LeaseRequest stranger = request(lease.keys(), lease.terms().mode(), false);
			same("expire " + lease, (backend) -> backend.release(stranger, RedisProcess.TIMEOUT));
		}

		private void forceRelease(String key) {
			List<LeaseHolder> holders = RedisKeyStateServerTests.this.local.inspect(key, RedisProcess.TIMEOUT);
			if (!holders.isEmpty()) {
				LeaseHolder holder = holders.get(this.random.nextInt(holders.size()));
				same("release for " + holder.owner(),
						(backend) -> backend.forceRelease(key, holder, RedisProcess.TIMEOUT));
			}
		}

		/**
		 * Renews all leases. Of several keys, one that lost some is released, as an
		 * engine does.
		 */
		private void renew() {
			Object held = same("renew", (backend) -> backend.renew(this.requests, RedisProcess.TIMEOUT).held());
			this.renewed = System.nanoTime();
			for (LeaseRequest request : List.copyOf(this.requests)) {
				if (request.hasMultipleKeys() && !((Set<?>) held).contains(request)) {
					release(request);
				}
			}
		}

		private void release(LeaseRequest request) {
			same("release " + request, (backend) -> backend.release(request, RedisProcess.TIMEOUT));
			this.requests.remove(request);
		}

		private void compareStates(String key) {
			same("holders of " + key, (backend) -> holders(backend.inspect(key, RedisProcess.TIMEOUT)));
			same("queue of " + key,
					(backend) -> backend.inspectQueue(key, RedisProcess.TIMEOUT)
						.stream()
						.map(LeaseWaiter::owner)
						.toList());
		}

		private static Set<String> holders(List<LeaseHolder> holders) {
			return holders.stream()
				.map((holder) -> holder.owner() + ' '
						+ ((holder.mode() instanceof Permits some) ? some.permits() : holder.mode()))
				.collect(Collectors.toSet());
		}

		private Object same(String call, Function<LockBackend, Object> answer) {
			Object expected = answer.apply(RedisKeyStateServerTests.this.local);
			this.history.add(call + ": " + expected);
			assertThat(answer.apply(RedisKeyStateServerTests.this.process.backend))
				.as(() -> "-Dlock.test.seed=" + RedisKeyStateServerTests.this.seed + '\n'
						+ String.join("\n", this.history))
				.isEqualTo(expected);
			return expected;
		}

		private LeaseRequest request() {
			if (this.random.nextInt(6) == 0) {
				return request(this.keys, LeaseMode.EXCLUSIVE, false);
			}
			return request(List.of(this.keys.get(this.random.nextInt(2))), mode(), this.random.nextBoolean());
		}

		private LeaseMode mode() {
			int version = this.steps * this.limits / STEPS;
			return switch (this.random.nextInt(4)) {
				case 0 -> LeaseMode.EXCLUSIVE;
				case 1 -> LeaseMode.SHARED;
				default -> LeaseMode.permits(1 + this.random.nextInt(3), 3 + version, version);
			};
		}

		private LeaseRequest request(List<String> some, LeaseMode mode, boolean fair) {
			return new LeaseRequest(some, new LeaseTerms(mode, fair, RedisProcess.LEASE_TIME, 1),
					new OwnerId(RedisKeyStateServerTests.this.instance, ++RedisKeyStateServerTests.this.owners));
		}

	}

}
