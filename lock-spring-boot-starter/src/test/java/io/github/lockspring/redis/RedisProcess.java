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

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that uses the backend directly: its connections, requests and notifications.
 */
public final class RedisProcess implements AutoCloseable, BackendListener {

	static final Duration LEASE_TIME = Duration.ofSeconds(30);

	/**
	 * Long enough for a machine that has much else to do.
	 */
	static final Duration TIMEOUT = Duration.ofSeconds(10);

	public static final RedisLockSettings SETTINGS = RedisLockSettings.defaults().withOperationTimeout(TIMEOUT);

	final BlockingQueue<LeaseRequest> granted = new LinkedBlockingQueue<>();

	final BlockingQueue<LeaseRequest> hints = new LinkedBlockingQueue<>();

	final BlockingQueue<String> changes = new LinkedBlockingQueue<>();

	final AtomicInteger failovers = new AtomicInteger();

	final List<Long> attemptIds = new ArrayList<>();

	final RedisLockBackend backend;

	volatile boolean takesGrants = true;

	private final DisposableBean factory;

	private final String instance = OwnerId.newInstance();

	private final AtomicLong sequence = new AtomicLong();

	RedisProcess(RedisConfiguration configuration, RedisLockSettings settings) {
		this(lettuce(configuration), settings);
	}

	RedisProcess(RedisConnectionFactory factory, RedisLockSettings settings) {
		this(factory, new RedisLockBackend(factory, settings));
	}

	private RedisProcess(RedisConnectionFactory factory, RedisLockBackend backend) {
		this.factory = (DisposableBean) factory;
		this.backend = backend;
		this.backend.start(this);
	}

	/**
	 * One that has an opinion of its own since when tokens lead the clock.
	 */
	static RedisProcess leading(RedisServer server, TokenLead lead) {
		LettuceConnectionFactory factory = lettuce(configuration(server));
		return new RedisProcess(factory, leading(factory, lead));
	}

	static RedisLockBackend leading(LettuceConnectionFactory factory, TokenLead lead) {
		RedisClientAdapter adapter = RedisClientAdapters.of(factory, TIMEOUT);
		RedisClientAdapter leading = (RedisClientAdapter) Proxy.newProxyInstance(
				RedisClientAdapter.class.getClassLoader(), new Class<?>[] { RedisClientAdapter.class },
				(proxy, method, args) -> method.getName().equals("lead") ? lead : method.invoke(adapter, args));
		return new RedisLockBackend(() -> leading, SETTINGS);
	}

	static LettuceConnectionFactory lettuce(RedisConfiguration configuration) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	static RedisProcess withJedis(JedisConnectionFactory factory, RedisLockSettings settings) {
		return new RedisProcess(factory, settings);
	}

	RedisProcess(int port) {
		this(new RedisStandaloneConfiguration("localhost", port), RedisProcess.SETTINGS);
	}

	static RedisProcess on(RedisServer server) {
		return new RedisProcess(configuration(server), RedisProcess.SETTINGS);
	}

	public static RedisStandaloneConfiguration configuration(RedisServer server) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(server.host(), server.port());
		String user = server.uri().getUserInfo();
		if (user != null) {
			String name = user.substring(0, user.indexOf(':'));
			configuration.setUsername(name.isEmpty() ? null : name);
			configuration.setPassword(user.substring(user.indexOf(':') + 1));
		}
		return configuration;
	}

	/**
	 * Asserts that a user had all rights that it needed. Clients also send their version
	 * with {@code CLIENT SETINFO}, which Redis 6.2 denies as {@code client}, and 7.0 does
	 * not know.
	 */
	static void assertNothingDenied(RedisServer server) {
		assertThat((List<?>) server.command("ACL", "LOG"))
			.allSatisfy((denied) -> assertThat(denied.toString()).containsPattern("object, client(\\|setinfo)?,"));
	}

	LeaseRequest request(String key) {
		return request(key, LeaseMode.EXCLUSIVE, false, LEASE_TIME);
	}

	LeaseRequest request(String key, LeaseMode mode, boolean fair, Duration leaseTime) {
		return new LeaseRequest(key, new LeaseTerms(mode, fair, leaseTime, 1), this.instance,
				this.sequence.incrementAndGet());
	}

	@Nullable Grant tryAcquire(LeaseRequest request) {
		return (this.backend.tryAcquire(request, TIMEOUT) instanceof Grant grant) ? grant : null;
	}

	@Nullable Grant contend(LeaseRequest request) {
		return (this.backend.contend(request, TIMEOUT) instanceof Grant grant) ? grant : null;
	}

	/**
	 * Asks for some that wait, all at once.
	 * @return those that are still denied
	 */
	Map<LeaseRequest, Denial> poll(LeaseRequest... waiting) {
		return this.backend.poll(List.of(waiting), TIMEOUT);
	}

	boolean release(LeaseRequest request) {
		return this.backend.release(request, TIMEOUT);
	}

	ValueBackend values() {
		return this.backend.values().orElseThrow();
	}

	ValueUpdate update(String key, ValueChange change) {
		return new ValueUpdate(key, change, new OwnerId(this.instance, this.sequence.incrementAndGet()));
	}

	ValueUpdateResult apply(ValueUpdate update) {
		return values().update(update, TIMEOUT);
	}

	ValueUpdateResult add(String key, long delta) {
		return apply(update(key, new ValueChange.Add(delta, Long.MIN_VALUE)));
	}

	ValueUpdateResult delete(String key) {
		return apply(update(key, new ValueChange.Delete(ValueChange.ANY_VERSION)));
	}

	Value read(String key) {
		return values().read(List.of(key), false, TIMEOUT).getOrDefault(key, Value.ABSENT);
	}

	Value watch(String key) {
		return values().read(List.of(key), true, TIMEOUT).getOrDefault(key, Value.ABSENT);
	}

	@Override
	public void onRetryHint(LeaseRequest request) {
		this.hints.add(request);
	}

	@Override
	public boolean onGranted(LeaseRequest request, Grant grant, long attemptId, Duration waited) {
		this.attemptIds.add(attemptId);
		this.granted.add(request);
		return this.takesGrants;
	}

	@Override
	public void onLost(LeaseRequest lease) {
	}

	@Override
	public void onSuspended() {
	}

	@Override
	public void onResumed() {
	}

	@Override
	public void onValueChanged(String key) {
		this.changes.add(key);
	}

	@Override
	public void onFailedOver() {
		this.failovers.incrementAndGet();
	}

	/**
	 * Loses all connections without a word, as a process does that is killed.
	 */
	void disconnect() {
		this.backend.disconnect();
	}

	@Override
	public void close() {
		this.backend.close();
		try {
			this.factory.destroy();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
