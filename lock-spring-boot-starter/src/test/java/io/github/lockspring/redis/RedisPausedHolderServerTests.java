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

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.ChildJvms;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.PausedHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that holds a lease stands still for longer than the lease lasts.
 */
class RedisPausedHolderServerTests extends RedisFaults {

	private static final Duration LEASE = Duration.ofSeconds(1);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, true);

	private static final AcquireOptions LONG_TERMS = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private final FencedResource resource = new FencedResource();

	private final ChildJvms children = new ChildJvms();

	@AfterEach
	void stop() {
		this.children.close();
	}

	@Test
	void pausedHolderKnowsItsLossAtOnceAndItsWriteIsRejected() throws Exception {
		EngineProcess other = this.run.startProcess(RedisStore.on(this.server));
		try (PausedHolder holder = new PausedHolder(
				this.children.start(Worker.class, this.server.host(), Integer.toString(this.server.port())))) {
			for (int i = 0; i < FaultRun.SCALE; i++) {
				long token = holder.acquire();
				assertThat(this.resource.write(token)).isTrue();
				holder.pause();
				Hold hold = this.run.acquire(other, "key", LONG_TERMS, FaultRun.MAX_WAIT);
				assertThat(hold).isNotNull();
				assertThat(hold.token()).isGreaterThan(token);
				assertThat(this.resource.write(hold.token())).isTrue();
				holder.assertLossIsKnownAtOnce();
				assertThat(this.resource.write(token)).isFalse();
				assertThat(other.backend.inspect("key", RedisProcess.TIMEOUT)).hasSize(1);
				assertThat(this.run.release(hold)).isTrue();
			}
		}
		this.run.assertNoViolations();
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(this.server));
	}

	/**
	 * The process that is paused.
	 */
	static final class Worker {

		private Worker() {
		}

		public static void main(String[] arguments) throws Exception {
			PausedHolder.run(
					new RedisStore(new RedisStandaloneConfiguration(arguments[0], Integer.parseInt(arguments[1]))),
					OPTIONS, LEASE.dividedBy(2));
		}

	}

	/**
	 * A resource that knows the largest token.
	 */
	private static final class FencedResource {

		private long largest;

		boolean write(long token) {
			if (token < this.largest) {
				return false;
			}
			this.largest = token;
			return true;
		}

	}

}
