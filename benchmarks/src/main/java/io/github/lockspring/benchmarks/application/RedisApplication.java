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
package io.github.lockspring.benchmarks.application;

import java.util.Set;

import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Profile;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

import io.github.lockspring.benchmarks.contestant.Contestant;
import io.github.lockspring.benchmarks.contestant.Lock4j;
import io.github.lockspring.benchmarks.contestant.LockStarter;
import io.github.lockspring.benchmarks.contestant.RedissonLocks;
import io.github.lockspring.benchmarks.contestant.ShedLock;
import io.github.lockspring.benchmarks.contestant.SpringIntegrationRedis;

/**
 * An application that uses Redis.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration(DataRedisAutoConfiguration.class)
@Import(LockStarterConfiguration.class)
class RedisApplication {

	private static final String REDISSON = "redisson";

	private static final String SPRING_INTEGRATION = "spring-integration-pub-sub";

	private static final String SHEDLOCK = "shedlock";

	private static final String LOCK4J = "lock4j";

	static final Set<String> CONTESTANTS = Set.of(LockStarter.NAME, REDISSON, SPRING_INTEGRATION, SHEDLOCK, LOCK4J);

	@Bean
	StoreUse storeUse(StringRedisTemplate template) {
		RedisCallback<String> ping = RedisConnection::ping;
		return new StoreUse(() -> template.execute(ping));
	}

	@Bean(destroyMethod = "")
	@Profile(StoreApplication.PLAIN)
	Contestant withoutLocks(StoreUse use) {
		return use.withoutLocks();
	}

	@Bean(destroyMethod = "")
	@Profile(REDISSON)
	Contestant redisson(@Value("${spring.data.redis.url}") String url) {
		return RedissonLocks.plain(url);
	}

	@Bean(destroyMethod = "")
	@Profile(SPRING_INTEGRATION)
	Contestant springIntegration(LettuceConnectionFactory connections) {
		return new SpringIntegrationRedis(connections, RedisLockType.PUB_SUB_LOCK);
	}

	@Bean(destroyMethod = "")
	@Profile(SHEDLOCK)
	Contestant shedLock(LettuceConnectionFactory connections) {
		return new ShedLock(new RedisLockProvider(connections, "bench"), () -> {
		});
	}

	@Bean(destroyMethod = "")
	@Profile(LOCK4J)
	Contestant lock4j(LettuceConnectionFactory connections) {
		return new Lock4j(connections);
	}

}
