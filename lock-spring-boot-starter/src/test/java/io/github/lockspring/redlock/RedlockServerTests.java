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
package io.github.lockspring.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.redis.RedisLockSettings;
import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * {@link RedlockBackend} on real servers that die or lose their replies.
 */
class RedlockServerTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final String instance = OwnerId.newInstance();

	private final AtomicLong sequence = new AtomicLong();

	private final List<LettuceConnectionFactory> factories = new ArrayList<>();

	private final List<RedlockBackend> backends = new ArrayList<>();

	private List<RedisServer> servers = List.of();

	@AfterEach
	void close() {
		this.backends.forEach(RedlockBackend::close);
		this.factories.forEach(LettuceConnectionFactory::destroy);
		this.servers.forEach(RedisServer::close);
	}

	private RedlockBackend start(int count) {
		this.servers = Stream.generate(RedisServer::start).limit(count).toList();
		return backend(this.servers.stream().map(RedisServer::port).toList());
	}

	private RedlockBackend backend(List<Integer> ports) {
		Map<String, RedisConnectionFactory> nodes = new LinkedHashMap<>();
		ports.forEach((port) -> nodes.put("node-" + (nodes.size() + 1), factory(port)));
		RedlockBackend backend = new RedlockBackend(nodes, RedisLockSettings.defaults(), Duration.ofSeconds(2));
		this.backends.add(backend);
		backend.start(mock(BackendListener.class));
		connect(backend);
		return backend;
	}

	/**
	 * Connects to all nodes: the first connections of a JVM may take longer than the
	 * timeout of a node. Each attempt has a key of its own, because one without an answer
	 * is released for as long as its lease may last.
	 */
	private void connect(RedlockBackend backend) {
		await().ignoreExceptionsInstanceOf(BackendException.class).until(() -> {
			LeaseRequest request = request("attempt-" + this.sequence.get());
			return backend.tryAcquire(request, TIMEOUT) instanceof Grant && backend.release(request, TIMEOUT);
		});
	}

	private LettuceConnectionFactory factory(int port) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port));
		factory.afterPropertiesSet();
		factory.start();
		this.factories.add(factory);
		return factory;
	}

	private LeaseRequest request() {
		return request("key");
	}

	private LeaseRequest request(String key) {
		return new LeaseRequest(key, new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(30), 1),
				this.instance, this.sequence.incrementAndGet());
	}

	private static boolean isHeld(RedisServer server, LeaseRequest request) {
		return String.valueOf(server.command("HGET", "{key}", "state")).contains(request.owner().toString());
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(1));
	}

	@Test
	void minorityThatDiedIsIgnored() {
		RedlockBackend backend = start(5);
		LeaseRequest before = request();
		assertThat(backend.tryAcquire(before, TIMEOUT)).isInstanceOf(Grant.class);
		await().until(() -> this.servers.stream().allMatch((server) -> isHeld(server, before)));
		this.servers.get(0).kill();
		this.servers.get(3).kill();
		assertThat(backend.renew(List.of(before), TIMEOUT).held()).containsExactly(before);
		assertThat(backend.release(before, TIMEOUT)).isTrue();
		LeaseRequest after = request();
		await().until(() -> backend.tryAcquire(after, TIMEOUT) instanceof Grant);
		assertThat(backend.release(after, TIMEOUT)).isTrue();
	}

	@Test
	void majorityThatDiedLeavesNothingOnTheOthers() {
		RedlockBackend backend = start(5);
		this.servers.subList(0, 3).forEach(RedisServer::kill);
		LeaseRequest request = request();
		assertThatExceptionOfType(BackendException.class).isThrownBy(() -> backend.tryAcquire(request, TIMEOUT))
			.withMessageContaining("'node-1'");
		this.servers.subList(3, 5).forEach((server) -> assertThat(isHeld(server, request)).isFalse());
	}

	@Test
	void grantWhoseReplyIsLostIsReleased() throws Exception {
		this.servers = Stream.generate(RedisServer::start).limit(3).toList();
		RedisServer server = this.servers.get(0);
		try (FaultProxy proxy = new FaultProxy(server.host(), server.port())) {
			RedlockBackend backend = backend(
					List.of(proxy.port(), this.servers.get(1).port(), this.servers.get(2).port()));
			this.servers.get(1).kill();
			LeaseRequest request = request();
			var dropped = proxy.dropReply(request.owner().toString());
			assertThatExceptionOfType(BackendException.class).isThrownBy(() -> backend.tryAcquire(request, TIMEOUT));
			assertThat(dropped.get(1, TimeUnit.MINUTES)).isNotEmpty();
			await().until(() -> !isHeld(server, request));
			assertThat(isHeld(this.servers.get(2), request)).isFalse();
		}
	}

	@Test
	void pausedServerGetsItsReleaseLater() {
		RedlockBackend backend = start(3);
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		await().until(() -> isHeld(this.servers.get(2), request));
		this.servers.get(2).pause();
		assertThat(backend.release(request, TIMEOUT)).isTrue();
		this.servers.get(2).resume();
		await().until(() -> !isHeld(this.servers.get(2), request));
	}

	@Test
	void twoNamesForOneServerAreRejected() {
		this.servers = Stream.generate(RedisServer::start).limit(2).toList();
		int port = this.servers.get(0).port();
		assertThatIllegalStateException().isThrownBy(() -> backend(List.of(port, this.servers.get(1).port(), port)))
			.withMessageContaining("'node-1'")
			.withMessageContaining("'node-3'")
			.withMessageContaining("same server");
	}

}
