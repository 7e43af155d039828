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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ValueOperations;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.autoconfigure.LockAutoConfiguration;
import io.github.lockspring.faults.ChildJvms;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two accounts are locked together by transfers in both directions, in two processes.
 */
@Torture(alsoIn = { "RedisLockBackendServerTests", "TransfersTests" })
class RedisTransfersTortureTests {

	private static final int PROCESSES = 2;

	private static final int THREADS = 8;

	private static final int TRANSFERS = 1_000;

	private static final int BALANCE = 1_000;

	private final ChildJvms children = new ChildJvms();

	private RedisServer server;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
	}

	@AfterEach
	void stop() {
		this.children.close();
		this.server.close();
	}

	@Test
	void transfersNeitherDeadlockNorLoseMoney() throws Exception {
		this.server.command("MSET", "balance:0", Integer.toString(BALANCE), "balance:1", Integer.toString(BALANCE));
		List<String> ends = new CopyOnWriteArrayList<>();
		for (int i = 0; i < PROCESSES; i++) {
			Process child = this.children.start(Bank.class, this.server.host(), Integer.toString(this.server.port()),
					Integer.toString(i));
			ChildJvms.read(child, (line) -> {
				if (line.startsWith("end ")) {
					ends.add(line);
				}
			});
		}
		Awaitility.await().atMost(Duration.ofMinutes(3)).until(() -> ends.size() == PROCESSES);
		assertThat(ends).containsOnly("end null");
		assertThat(number("transfers")).isEqualTo(TRANSFERS);
		assertThat(number("balance:0")).isEqualTo(expectedBalance());
		assertThat(number("balance:0") + number("balance:1")).isEqualTo(2 * BALANCE);
	}

	private int number(String key) {
		return Integer.parseInt(String.valueOf(this.server.command("GET", key)));
	}

	private static int expectedBalance() {
		return BALANCE + IntStream.range(0, TRANSFERS)
			.map((number) -> isForth(number) ? -amount(number) : amount(number))
			.sum();
	}

	/**
	 * Both directions in both processes and all threads.
	 */
	private static boolean isForth(int number) {
		return (number / (PROCESSES * THREADS)) % 2 == 0;
	}

	private static int amount(int number) {
		return number % 7;
	}

	/**
	 * An application that makes its part of the transfers, in several threads, and
	 * reports what became of them.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class })
	static class Bank {

		public static void main(String[] arguments) {
			FaultRun.silence();
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Bank.class)
				.web(WebApplicationType.NONE)
				.bannerMode(Banner.Mode.OFF)
				.properties("spring.data.redis.host=" + arguments[0], "spring.data.redis.port=" + arguments[1],
						"lock.wait-time=3m")
				.run()) {
				System.out.println("end " + work(context.getBean(Accounts.class), Integer.parseInt(arguments[2])));
			}
		}

		private static Exception work(Accounts accounts, int process) {
			ExecutorService executor = Executors.newFixedThreadPool(THREADS);
			try {
				List<? extends Future<?>> results = IntStream.range(0, THREADS)
					.mapToObj((thread) -> executor.submit(() -> transfer(accounts, process * THREADS + thread)))
					.toList();
				for (Future<?> result : results) {
					result.get();
				}
				return null;
			}
			catch (Exception ex) {
				return ex;
			}
			finally {
				executor.shutdownNow();
			}
		}

		private static void transfer(Accounts accounts, int first) {
			for (int number = first; number < TRANSFERS; number += PROCESSES * THREADS) {
				int from = isForth(number) ? 0 : 1;
				accounts.transfer(from, 1 - from, amount(number));
			}
		}

		@Bean
		Accounts accounts(StringRedisTemplate redis) {
			return new Accounts(redis);
		}

	}

	/**
	 * Accounts whose balances are read and written one by one.
	 */
	static class Accounts {

		private final StringRedisTemplate redis;

		Accounts(StringRedisTemplate redis) {
			this.redis = redis;
		}

		@DistributedLock(name = "account", key = "{#from, #to}")
		public void transfer(int from, int to, int amount) {
			ValueOperations<String, String> values = this.redis.opsForValue();
			int left = Integer.parseInt(values.get("balance:" + from)) - amount;
			int there = Integer.parseInt(values.get("balance:" + to)) + amount;
			values.set("balance:" + from, Integer.toString(left));
			values.set("balance:" + to, Integer.toString(there));
			values.increment("transfers");
		}

	}

}
