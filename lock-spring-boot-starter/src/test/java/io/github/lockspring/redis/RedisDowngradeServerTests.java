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
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Writers that downgrade to readers on {@link RedisLockBackend}.
 */
class RedisDowngradeServerTests {

	private static final AcquireOptions WRITE = AcquireOptions.exclusive(Duration.ofSeconds(30), true);

	private static final AcquireOptions READ = AcquireOptions.shared(Duration.ofSeconds(30), true);

	private static final long WAIT = Duration.ofSeconds(20).toNanos();

	private final RedisServer server = RedisServer.shared();

	private final List<LettuceConnectionFactory> factories = new ArrayList<>();

	private final LockEngine engine = engine();

	private final LockEngine otherEngine = engine();

	private final String key = UUID.randomUUID().toString();

	private LockEngine engine() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(RedisProcess.configuration(this.server));
		factory.afterPropertiesSet();
		factory.start();
		this.factories.add(factory);
		RedisLockBackend backend = new RedisLockBackend(factory, RedisProcess.SETTINGS);
		LockEngine engine = new LockEngine(backend,
				EngineSettings.defaults().withOperationTimeout(RedisProcess.TIMEOUT), EngineListener.NONE,
				TimeSource.SYSTEM);
		// Waits for the connection
		require(engine.acquireUninterruptibly(UUID.randomUUID().toString(), READ, this, WAIT)).release();
		return engine;
	}

	@AfterEach
	void close() {
		this.engine.close();
		this.otherEngine.close();
		this.factories.forEach(LettuceConnectionFactory::destroy);
	}

	private Hold acquire(AcquireOptions options) {
		return require(this.engine.acquireUninterruptibly(this.key, options, this, WAIT));
	}

	private static Hold require(@Nullable Hold hold) {
		assertThat(hold).isNotNull();
		return hold;
	}

	private @Nullable Hold tryElsewhere(AcquireOptions options) {
		return this.otherEngine.acquireUninterruptibly(this.key, options, new Object(), 0);
	}

	private CompletableFuture<Hold> acquireElsewhere(AcquireOptions options) {
		return CompletableFuture
			.supplyAsync(() -> require(this.otherEngine.acquireUninterruptibly(this.key, options, new Object(), WAIT)));
	}

	private List<LeaseHolder> holders() {
		try (RedisProcess process = RedisProcess.on(this.server)) {
			return process.backend.inspect(this.key, RedisProcess.TIMEOUT);
		}
	}

	@Test
	void writerDowngradesToReader() {
		Hold writer = acquire(WRITE);
		Hold reader = acquire(READ);
		assertThat(tryElsewhere(READ)).isNull();
		assertThat(writer.release()).isTrue();
		assertThat(reader.isHeld()).isTrue();
		assertThat(reader.token()).isEqualTo(writer.token());
		assertThat(holders()).extracting(LeaseHolder::mode).containsExactly(LeaseMode.SHARED);
		assertThat(tryElsewhere(WRITE)).isNull();
		Hold other = acquireElsewhere(READ).join();
		assertThat(other.token()).isGreaterThan(reader.token());
		assertThat(reader.release()).isTrue();
		assertThat(other.release()).isTrue();
		assertThat(holders()).isEmpty();
	}

	@Test
	void waitingReaderComesInAndWaitingWriterAfterTheLast() {
		Hold writer = acquire(WRITE);
		Hold reader = acquire(READ);
		CompletableFuture<Hold> waitingReader = acquireElsewhere(READ);
		await().until(() -> this.otherEngine.size() == 1);
		assertThat(writer.release()).isTrue();
		Hold other = waitingReader.join();
		CompletableFuture<Hold> waitingWriter = acquireElsewhere(WRITE);
		assertThat(other.release()).isTrue();
		assertThat(waitingWriter).isNotDone();
		assertThat(reader.release()).isTrue();
		assertThat(waitingWriter.join().release()).isTrue();
		assertThat(holders()).isEmpty();
	}

	@Test
	void storeThatForgotTheWriterIsALossOfBoth() {
		Hold writer = acquire(WRITE);
		Hold reader = acquire(READ);
		this.server.command("DEL", "{" + this.key + "}");
		assertThat(writer.release()).isFalse();
		assertThat(reader.isHeld()).isFalse();
		assertThat(reader.release()).isFalse();
		assertThat(acquireElsewhere(WRITE).join().release()).isTrue();
	}

}
