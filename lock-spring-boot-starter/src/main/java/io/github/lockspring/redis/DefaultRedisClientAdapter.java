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
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.support.Deadline;

/**
 * {@link RedisClientAdapter} with connections of a client library: one or several for
 * calls, which many threads share, one for renewals, and one for messages.
 */
final class DefaultRedisClientAdapter implements RedisClientAdapter {

	/**
	 * Timeout for the outcome of a failover when no caller waits.
	 */
	private static final Duration FAILOVER_TIMEOUT = Duration.ofSeconds(10);

	private static final Duration MAX_PAUSE = Duration.ofMillis(500);

	private static final Duration MAX_PAUSE_OF_MESSAGES = Duration.ofSeconds(5);

	private final RedisDriver driver;

	private final Duration timeout;

	private final TokenLead lead = new TokenLead();

	private final @Nullable SentinelWatch watch;

	private final RedisLinks calls;

	private final RedisLinks renewals;

	private final ReconnectingConnection<RedisLink> messages;

	private volatile @Nullable RedisChannel channel;

	private volatile boolean firstAwaited;

	DefaultRedisClientAdapter(RedisDriver driver, Duration operationTimeout) {
		this.driver = driver;
		this.timeout = operationTimeout;
		this.watch = driver.sentinels().isEmpty() ? null : new SentinelWatch(driver.sentinels(),
				(node) -> SentinelLinks.connect(driver, node), this.lead, this::failOver);
		this.calls = new RedisLinks(driver.maxLinks(), (i) -> forCalls(" (calls)"));
		this.renewals = new RedisLinks(1, (i) -> forCalls(" (renewals)"));
		this.messages = new ReconnectingConnection<>(driver.address() + " (messages)", this::subscribe,
				RedisLink::isOpen, RedisLink::close, MAX_PAUSE_OF_MESSAGES, () -> channel().listening());
	}

	private ReconnectingConnection<RedisLink> forCalls(String purpose) {
		return new ReconnectingConnection<>(this.driver.address() + purpose, this::connect, this::isTrusted,
				RedisLink::close, MAX_PAUSE, null);
	}

	@Override
	public void start(RedisChannel channel, Duration timeout) {
		this.channel = channel;
		if (this.watch != null) {
			this.watch.start();
		}
		this.driver.start(() -> {
			this.lead.begin(Duration.ZERO);
			channel.failedOver();
		});
		renewAll();
	}

	/**
	 * Open the connections. If there are several for calls, the one for renewals is
	 * opened when it is needed, like the others.
	 */
	private void renewAll() {
		this.calls.renew();
		if (this.driver.maxLinks() == 1) {
			this.renewals.renew();
		}
		this.messages.renew();
	}

	private RedisLink connect() {
		if (this.watch == null) {
			return this.driver.connect(null, false);
		}
		RedisLink link = this.driver.connect(this.watch.primary(FAILOVER_TIMEOUT), false);
		try {
			requirePrimary(link);
			return link;
		}
		catch (RuntimeException ex) {
			link.close();
			throw ex;
		}
	}

	/**
	 * Reject a server that is still a replica. The sentinels may report a replica before
	 * it is promoted.
	 */
	private void requirePrimary(RedisLink link) {
		long deadline = Deadline.after(this.timeout);
		if (!link.await(link.isPrimary(deadline), deadline, "role")) {
			throw new BackendUnavailableException("The server is a replica", null);
		}
	}

	private boolean isTrusted(RedisLink link) {
		return link.isOpen() && (this.watch == null || this.watch.isTrusted());
	}

	private RedisLink subscribe() {
		RedisLink link = this.driver.connect((this.watch != null) ? this.watch.primary(FAILOVER_TIMEOUT) : null, true);
		try {
			RedisChannel channel = channel();
			link.subscribe(List.of(channel.name()), channel::message, this.timeout);
			this.driver.follow(link, () -> this.messages.restore(link));
			return link;
		}
		catch (RuntimeException ex) {
			link.close();
			throw ex;
		}
	}

	/**
	 * Disconnect from the former primary, which may not have detected the failover yet.
	 */
	private void failOver() {
		this.calls.leave();
		this.renewals.leave();
		this.messages.leave();
		channel().failedOver();
		renewAll();
	}

	private RedisChannel channel() {
		RedisChannel channel = this.channel;
		if (channel == null) {
			throw new IllegalStateException("The client is not started");
		}
		return channel;
	}

	/**
	 * Return whether the subscription is active. The first caller waits for the first
	 * attempt to connect.
	 */
	@Override
	public boolean isListening() {
		if (!this.firstAwaited) {
			this.messages.awaitFirst(this.timeout);
			this.firstAwaited = true;
		}
		if (this.messages.current() != null) {
			return true;
		}
		this.messages.renew();
		return false;
	}

	@Override
	public TokenLead lead() {
		return this.lead;
	}

	@Override
	public boolean isCluster() {
		return this.driver.isCluster();
	}

	@Override
	public CompletableFuture<RedisReply> send(RedisCall call, boolean byText, Duration timeout) {
		long deadline = Deadline.after(timeout);
		RedisLinks links = links(call);
		int index = links.begin();
		try {
			return links.get(index, deadline).run(call, byText, deadline);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		finally {
			links.end(index);
		}
	}

	private RedisLinks links(RedisCall call) {
		return call.isRenewal() ? this.renewals : this.calls;
	}

	@Override
	public List<CompletableFuture<RedisReply>> sendAll(List<RedisCall> calls, Duration timeout) {
		if (calls.isEmpty()) {
			return List.of();
		}
		long deadline = Deadline.after(timeout);
		RedisLinks links = links(calls.get(0));
		int index = links.begin();
		try {
			RedisLink link = links.get(index, deadline);
			List<CompletableFuture<RedisReply>> replies = link.sendAll(calls, deadline);
			link.drive(CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new)), deadline);
			return replies;
		}
		catch (RuntimeException ex) {
			return Collections.nCopies(calls.size(), CompletableFuture.failedFuture(ex));
		}
		finally {
			links.end(index);
		}
	}

	@Override
	public void execute(Runnable task) {
		this.driver.execute(task);
	}

	@Override
	public List<String> info(Duration timeout) {
		long deadline = Deadline.after(timeout);
		RedisLink link = this.calls.get(0, deadline);
		return link.info(deadline)
			.stream()
			.map((info) -> String.join("\n", link.await(info, deadline, "configuration").texts()))
			.toList();
	}

	@Override
	public void suspect(RedisCall call) {
		links(call).replace(call);
	}

	/**
	 * Replace all connections for calls, because the server is a replica now.
	 */
	private void leavePrimary() {
		this.calls.replace(null);
		this.renewals.replace(null);
	}

	@Override
	public @Nullable BackendException translate(Throwable failure) {
		if (failure instanceof BackendException known) {
			return known;
		}
		if (failure instanceof ReplicaException) {
			leavePrimary();
			return new BackendUnavailableException(String.valueOf(failure.getMessage()), failure);
		}
		if (this.driver.isError(failure)) {
			if (RedisErrors.isOutdatedPrimary(failure.getMessage())) {
				leavePrimary();
			}
			return RedisErrors.of(failure.getMessage(), failure);
		}
		String message = "Redis is not reachable: " + failure.getMessage();
		return this.driver.isUnsent(failure) ? new BackendUnavailableException(message, failure)
				: new OutcomeUnknownException(message, failure);
	}

	@Override
	public void close() {
		if (this.watch != null) {
			this.watch.close();
		}
		this.calls.close();
		this.renewals.close();
		this.messages.close();
		this.driver.close();
	}

}
