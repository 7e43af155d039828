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

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.ChildJvms;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;

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
		Process worker = this.children.start(Worker.class, this.server.host(), Integer.toString(this.server.port()));
		try (BufferedReader answers = worker.inputReader()) {
			for (int i = 0; i < FaultRun.SCALE; i++) {
				proceed(worker);
				long token = Long.parseLong(answers.readLine());
				assertThat(this.resource.write(token)).isTrue();
				signal(worker, "STOP");
				Hold hold = this.run.acquire(other, "key", LONG_TERMS, FaultRun.MAX_WAIT);
				assertThat(hold).isNotNull();
				assertThat(hold.token()).isGreaterThan(token);
				assertThat(this.resource.write(hold.token())).isTrue();
				proceed(worker);
				signal(worker, "CONT");
				assertThat(answers.readLine()).isEqualTo("held false");
				assertThat(answers.readLine()).isEqualTo("lost 1");
				assertThat(answers.readLine()).isEqualTo("released false");
				assertThat(this.resource.write(token)).isFalse();
				assertThat(other.backend.inspect("key", RedisProcess.TIMEOUT)).hasSize(1);
				assertThat(this.run.release(hold)).isTrue();
			}
			worker.getOutputStream().close();
			assertThat(worker.waitFor()).isZero();
		}
		this.run.assertNoViolations();
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(this.server));
	}

	private static void proceed(Process worker) throws IOException {
		worker.getOutputStream().write('\n');
		worker.getOutputStream().flush();
	}

	private static void signal(Process worker, String name) throws Exception {
		Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + worker.pid()).start();
		assertThat(kill.waitFor()).isZero();
	}

	/**
	 * The process that is paused. Acquires on request and writes its token; checks and
	 * releases on request.
	 */
	static final class Worker {

		private static final AtomicInteger losses = new AtomicInteger();

		private Worker() {
		}

		public static void main(String[] arguments) throws Exception {
			FaultRun.silence();
			try (EngineProcess process = new EngineProcess(
					new RedisStore(new RedisStandaloneConfiguration(arguments[0], Integer.parseInt(arguments[1]))),
					EngineSettings.defaults())) {
				while (System.in.read() != -1) {
					Hold hold = process.engine.acquire("key", OPTIONS, FaultRun.MAX_WAIT.toNanos());
					losses.set(0);
					hold.onLost(() -> losses.incrementAndGet());
					System.out.println(hold.token());
					System.in.read();
					System.out.println("held " + hold.isHeld());
					FaultRun.eventually().until(() -> losses.get() > 0);
					Thread.sleep(LEASE.toMillis() / 2);
					System.out.println("lost " + losses);
					System.out.println("released " + hold.release());
				}
			}
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
