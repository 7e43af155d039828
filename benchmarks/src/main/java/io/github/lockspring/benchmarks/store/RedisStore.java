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
package io.github.lockspring.benchmarks.store;

import java.util.List;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.sync.RedisCommands;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

import io.github.lockspring.benchmarks.application.StoreApplication;
import io.github.lockspring.benchmarks.contestant.BlockingPop;
import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.contestant.JvmLocks;
import io.github.lockspring.benchmarks.contestant.Lock4j;
import io.github.lockspring.benchmarks.contestant.LockStarter;
import io.github.lockspring.benchmarks.contestant.Primitive;
import io.github.lockspring.benchmarks.contestant.RawJedis;
import io.github.lockspring.benchmarks.contestant.RawRedis;
import io.github.lockspring.benchmarks.contestant.RedissonLocks;
import io.github.lockspring.benchmarks.contestant.ShedLock;
import io.github.lockspring.benchmarks.contestant.SpringIntegrationRedis;
import io.github.lockspring.redis.RedisLockBackend;
import io.github.lockspring.redis.RedisLockSettings;
import io.github.lockspring.server.RedisServer;

/**
 * A Redis server: one of our own that keeps nothing on disk, or the one that
 * {@link RedisServer#URL_PROPERTY} names. Every contestant has its own connections, as
 * Spring Boot configures them if they are Spring's.
 */
final class RedisStore implements Store {

	static final String NAME = "redis";

	private final String address;

	private final @Nullable RedisServer server;

	private RedisStore(String address, @Nullable RedisServer server) {
		this.address = address;
		this.server = server;
	}

	static RedisStore start() {
		boolean given = System.getProperty(RedisServer.URL_PROPERTY) != null;
		RedisServer server = given ? RedisServer.shared() : RedisServer.start();
		return new RedisStore(server.uri().toString(), server);
	}

	static RedisStore at(String address) {
		return new RedisStore(address, null);
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public List<Entrant> entrants() {
		return List.of(new Entrant(Entrant.FLOOR, () -> new RawRedis(this.address), Trait.DISTRIBUTED),
				new Entrant("fair-reentrant-lock", () -> new JvmLocks(true), Trait.EXCLUSIVE, Trait.WAITING),
				new Entrant(LockStarter.NAME, this::lockStarter, Trait.values()),
				new Entrant(LockStarter.RETAINING, () -> lockStarter().retaining(), Trait.values()),
				new Entrant("floor-jedis", () -> new RawJedis(this.address), Trait.DISTRIBUTED),
				new Entrant("lock-starter-jedis", this::lockStarterWithJedis, Trait.values()),
				new Entrant("redisson", () -> RedissonLocks.plain(this.address), Trait.values()),
				new Entrant("redisson-fair", () -> RedissonLocks.fair(this.address), Trait.values()),
				new Entrant("spring-integration-spin", () -> springIntegration(RedisLockType.SPIN_LOCK),
						Trait.values()),
				new Entrant("spring-integration-pub-sub", () -> springIntegration(RedisLockType.PUB_SUB_LOCK),
						Trait.values()),
				new Entrant("lock4j", () -> new Lock4j(connections()), Trait.EXCLUSIVE, Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("shedlock", this::shedLock, Trait.EXCLUSIVE, Trait.DISTRIBUTED, Trait.RENEWING),
				new Entrant("blocking-pop", () -> new BlockingPop(this.address), Trait.EXCLUSIVE, Trait.DISTRIBUTED,
						Trait.WAITING));
	}

	@Override
	public List<Entrant> primitives() {
		return List.of(
				new Entrant("floor-increment", () -> Primitive.rawIncrement(this.address), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("lock-starter-increment", () -> Primitive.increment(lockStarter()), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("redisson-increment", () -> Primitive.redissonIncrement(this.address), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("lock-starter-permit", () -> Primitive.permit(lockStarter()), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("redisson-permit", () -> Primitive.redissonPermit(this.address), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("lock-starter-read", () -> Primitive.read(lockStarter()), Trait.DISTRIBUTED, Trait.WAITING),
				new Entrant("redisson-read", () -> Primitive.redissonRead(this.address), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("lock-starter-read-write", () -> Primitive.readWrite(lockStarter()), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("redisson-read-write", () -> Primitive.redissonReadWrite(this.address), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("lock-starter-latch", () -> Primitive.latch(lockStarter()), Trait.DISTRIBUTED,
						Trait.WAITING),
				new Entrant("redisson-latch", () -> Primitive.redissonLatch(this.address), Trait.DISTRIBUTED,
						Trait.WAITING));
	}

	private LockStarter lockStarter() {
		LettuceConnectionFactory connections = connections();
		return LockStarter.on(new RedisLockBackend(connections, RedisLockSettings.defaults()), connections::destroy);
	}

	private LockStarter lockStarterWithJedis() {
		JedisConnectionFactory connections = new JedisConnectionFactory(configuration());
		connections.afterPropertiesSet();
		connections.start();
		return LockStarter.on(new RedisLockBackend(connections, RedisLockSettings.defaults()), connections::destroy);
	}

	private SpringIntegrationRedis springIntegration(RedisLockType type) {
		return new SpringIntegrationRedis(connections(), type);
	}

	private ShedLock shedLock() {
		LettuceConnectionFactory connections = connections();
		return new ShedLock(new RedisLockProvider(connections, "bench"), connections::destroy);
	}

	private LettuceConnectionFactory connections() {
		LettuceConnectionFactory connections = new LettuceConnectionFactory(configuration(),
				LettuceClientConfiguration.builder()
					.clientOptions(ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled()).build())
					.build());
		connections.afterPropertiesSet();
		connections.start();
		return connections;
	}

	private RedisStandaloneConfiguration configuration() {
		return (RedisStandaloneConfiguration) LettuceConnectionFactory.createRedisConfiguration(this.address);
	}

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public StoreApplication application() {
		return StoreApplication.redis(this.address);
	}

	@Override
	public CommandCount countCommands() {
		if (this.server == null) {
			throw new IllegalStateException("Only who started the store counts");
		}
		return new RedisCommandCount(this.server);
	}

	@Override
	public void close() {
		if (this.server != null) {
			deleteLists();
			this.server.close();
		}
	}

	private void deleteLists() {
		try (RedisClient client = RedisClient.create(this.address)) {
			RedisCommands<String, String> commands = client.connect().sync();
			ScanIterator.scan(commands, ScanArgs.Builder.matches(BlockingPop.PREFIX + "*").limit(1_000))
				.forEachRemaining(commands::del);
		}
	}

}
