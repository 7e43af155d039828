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

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;
import io.github.lockspring.spi.state.ValueState;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the scripts with the {@linkplain ValueState model of a value}: the same random
 * updates get the same answers on a real server, and leave the same value. Versions are
 * those of the server. {@code -Dlock.test.seed} repeats the choices of another run.
 */
class RedisValueStateServerTests {

	private static final int SEQUENCES = 30 * Integer.getInteger("lock.test.scale", 1);

	private static final int STEPS = 60;

	private static final long SHORT_LIFE = 1;

	private static final long LONG_LIFE = 1_000_000_000;

	private static final List<Long> NUMBERS = List.of(0L, 1L, -1L, 2L, -7L, 999_999_999_999_999L, (1L << 53) + 1,
			Long.MAX_VALUE, Long.MIN_VALUE);

	private final long seed = Long.getLong("lock.test.seed", System.nanoTime());

	private final RedisServer server = RedisServer.shared();

	private RedisProcess process;

	@BeforeEach
	void start() {
		this.process = RedisProcess.on(this.server);
	}

	@AfterEach
	void stop() {
		this.process.close();
	}

	@Test
	void scriptsAnswerLikeTheModel() throws InterruptedException {
		int applied = 0;
		for (int i = 0; i < SEQUENCES; i++) {
			applied += new Sequence(new Random(this.seed + i)).run();
		}
		System.out.println(applied + " applied updates with -Dlock.test.seed=" + this.seed);
		assertThat(applied).isGreaterThan(SEQUENCES * STEPS / 10);
	}

	/**
	 * Updates of one value by several processes.
	 */
	private final class Sequence {

		private final String key = UUID.randomUUID().toString();

		private final Random random;

		private final List<String> instances = Stream.generate(OwnerId::newInstance).limit(4).toList();

		private final List<ValueUpdate> history = new ArrayList<>();

		private ValueState state = ValueState.NONE;

		/**
		 * Time of the model, which passes only when a value expires.
		 */
		private long now = 1;

		private long lastSequence;

		Sequence(Random random) {
			this.random = random;
		}

		int run() throws InterruptedException {
			int applied = 0;
			for (int i = 0; i < STEPS; i++) {
				ValueUpdate update = nextUpdate();
				this.history.add(update);
				applied += step(update) ? 1 : 0;
			}
			return applied;
		}

		private boolean step(ValueUpdate update) throws InterruptedException {
			ValueUpdateResult actual = RedisValueStateServerTests.this.process.apply(update);
			ValueUpdateResult answer = this.state.answer(update);
			boolean applied = answer == null;
			if (applied) {
				long version = actual.after().exists() ? actual.after().version() : this.state.version() + 1;
				assertThat(version).as(this::description).isGreaterThan(this.state.version());
				this.state = this.state.next(update, version, this.now);
				answer = this.state.resultOf(update);
			}
			assertThat(actual).as(this::description).isEqualTo(answer);
			if (this.state.expiry() != 0 && this.state.expiry() - this.now < 1000 * LONG_LIFE) {
				Thread.sleep(2 * SHORT_LIFE);
				this.now = this.state.expiry();
				this.state = this.state.at(this.now);
			}
			assertThat(RedisValueStateServerTests.this.process.read(this.key)).as(this::description)
				.isEqualTo(this.state.value());
			return applied;
		}

		private String description() {
			return "after " + this.history + " with -Dlock.test.seed=" + RedisValueStateServerTests.this.seed;
		}

		/**
		 * Mostly a new update, otherwise a former one that is repeated or late.
		 */
		private ValueUpdate nextUpdate() {
			if (!this.history.isEmpty() && this.random.nextInt(4) == 0) {
				ValueUpdate former = this.history.get(this.random.nextInt(this.history.size()));
				return this.random.nextBoolean() ? former.again() : former;
			}
			OwnerId id = new OwnerId(anyOf(this.instances), ++this.lastSequence);
			ValueUpdate update = new ValueUpdate(this.key, nextChange(), id);
			return (this.random.nextInt(4) == 0) ? update.again() : update;
		}

		private ValueChange nextChange() {
			return switch (this.random.nextInt(7)) {
				case 0, 1 -> new ValueChange.Add(anyOf(NUMBERS), this.random.nextBoolean() ? Long.MIN_VALUE : 0,
						(this.random.nextInt(4) == 0) ? anyOf(NUMBERS) : Long.MIN_VALUE);
				case 2 -> new ValueChange.Set(anyOf(NUMBERS), version());
				case 3 -> new ValueChange.Replace(anyOf(NUMBERS),
						this.random.nextBoolean() ? this.state.value().number() : anyOf(NUMBERS));
				case 4 -> new ValueChange.Delete(version());
				case 5 -> new ValueChange.Expire((this.random.nextInt(3) == 0) ? SHORT_LIFE : LONG_LIFE);
				default -> (this.random.nextInt(3) == 0) ? new ValueChange.Expire(0) : new ValueChange.Add(
						this.random.nextInt(10) - 5, Long.MIN_VALUE, this.random.nextInt(10) - 15);
			};
		}

		private long version() {
			Value value = this.state.value();
			return anyOf(List.of(ValueChange.ANY_VERSION, value.version(), value.version(), this.state.version(), 0L));
		}

		private <T extends @Nullable Object> T anyOf(List<T> all) {
			return all.get(this.random.nextInt(all.size()));
		}

	}

}
