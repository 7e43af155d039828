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
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.Deadline;

/**
 * {@link RedisLink} to all primaries of a cluster. Each of them has connections of its
 * own, which outlive the replacement of those to the others. Every call is over when it
 * was sent, because the calling thread reads the reply, or sends the call to another
 * server.
 */
final class JedisClusterLink implements RedisLink {

	private static final int MAX_REDIRECTIONS = 5;

	private final JedisSlots slots;

	private final Function<HostAndPort, RedisLinks> connector;

	private final Map<HostAndPort, RedisLinks> servers = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Create a link, which connects to a server with the first call.
	 * @param connector creates the connections to a server
	 * @param timeout the maximum time to wait for the addresses of the servers
	 */
	JedisClusterLink(JedisSlots slots, Function<HostAndPort, RedisLinks> connector, Duration timeout) {
		this.slots = slots;
		this.connector = connector;
		slots.primaries(timeout);
	}

	@Override
	public boolean isOpen() {
		return !this.closed;
	}

	@Override
	public CompletableFuture<RedisReply> run(RedisCall call, boolean byText, long deadline) {
		return send(call, byText, deadline);
	}

	/**
	 * Send a call and read the reply. If the server has not run the script, the call is
	 * sent to another one.
	 */
	@Override
	public CompletableFuture<RedisReply> send(RedisCall call, boolean byText, long deadline) {
		try {
			return send(serverOf(call, deadline), call, byText, deadline);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<RedisReply> send(HostAndPort first, RedisCall call, boolean byText, long deadline) {
		HostAndPort server = first;
		boolean asking = false;
		for (int i = 0; i < MAX_REDIRECTIONS; i++) {
			boolean asks = asking;
			CompletableFuture<RedisReply> reply = on(server, deadline,
					(link) -> asks ? link.runAsking(call, byText, deadline) : link.run(call, byText, deadline));
			JedisRedirectionException redirection = redirection(reply);
			if (redirection == null) {
				return reply;
			}
			asking = redirection instanceof JedisAskDataException;
			if (!asking) {
				this.slots.refresh();
			}
			HostAndPort target = redirection.getTargetNode();
			server = target.getHost().isEmpty() ? new HostAndPort(server.getHost(), target.getPort()) : target;
		}
		throw new BackendUnavailableException("Redis sent too many redirections", null);
	}

	private HostAndPort serverOf(RedisCall call, long deadline) {
		return this.slots.of(call.keys()[0], Deadline.remaining(deadline));
	}

	private CompletableFuture<RedisReply> on(HostAndPort address, long deadline,
			Function<JedisLink, CompletableFuture<RedisReply>> exchange) {
		RedisLinks server = at(address);
		int index = server.begin();
		boolean lost = true;
		try {
			JedisLink link = (JedisLink) server.get(index, deadline);
			CompletableFuture<RedisReply> reply = exchange.apply(link);
			lost = !link.isOpen();
			return reply;
		}
		finally {
			end(server, index, lost);
		}
	}

	private void end(RedisLinks server, int index, boolean lost) {
		server.end(index);
		if (lost) {
			this.slots.refresh();
		}
	}

	private RedisLinks at(HostAndPort address) {
		RedisLinks known = this.servers.get(address);
		return (known != null) ? known : add(address);
	}

	/**
	 * Add a server, and leave those that are no longer primaries.
	 */
	private RedisLinks add(HostAndPort address) {
		if (this.closed) {
			throw new BackendUnavailableException("The client is closed", null);
		}
		this.servers.forEach((former, server) -> {
			if (!this.slots.contains(former) && this.servers.remove(former, server)) {
				server.leave();
				server.close();
			}
		});
		return this.servers.computeIfAbsent(address, this.connector);
	}

	private static @Nullable JedisRedirectionException redirection(CompletableFuture<RedisReply> reply) {
		return reply.isCompletedExceptionally()
				&& reply.handle((answer, failure) -> failure).join() instanceof JedisRedirectionException redirection
						? redirection : null;
	}

	/**
	 * Write the calls to all servers before the first reply is read. Each server has half
	 * of the time that is left to be connected.
	 */
	@Override
	public List<CompletableFuture<RedisReply>> sendAll(List<RedisCall> calls, long deadline) {
		if (calls.size() == 1) {
			return List.of(send(calls.get(0), false, deadline));
		}
		Map<RedisCall, CompletableFuture<RedisReply>> replies = new IdentityHashMap<>();
		Map<HostAndPort, Batch> batches = new LinkedHashMap<>();
		for (RedisCall call : calls) {
			try {
				batches.computeIfAbsent(serverOf(call, deadline), Batch::new).calls.add(call);
			}
			catch (BackendUnavailableException ex) {
				replies.put(call, CompletableFuture.failedFuture(ex));
			}
		}
		for (Batch batch : batches.values()) {
			long half = System.nanoTime() + Deadline.remainingNanos(deadline) / 2;
			batch.write((batches.size() > 1) ? half : deadline, deadline);
		}
		batches.values().forEach((batch) -> batch.read(deadline, replies));
		return calls.stream().map((call) -> Objects.requireNonNull(replies.get(call))).toList();
	}

	@Override
	public List<CompletableFuture<RedisReply>> info(long deadline) {
		List<CompletableFuture<RedisReply>> replies = new ArrayList<>();
		for (HostAndPort address : this.slots.primaries(Deadline.remaining(deadline))) {
			replies.add(on(address, deadline, (link) -> link.driven(link.ask(deadline, "INFO"), deadline)));
		}
		return replies;
	}

	@Override
	public CompletableFuture<RedisReply> ask(long deadline, String... command) {
		throw new UnsupportedOperationException("A cluster has several servers");
	}

	@Override
	public CompletableFuture<Boolean> isPrimary(long deadline) {
		return CompletableFuture.completedFuture(true);
	}

	@Override
	public void subscribe(List<String> channels, Consumer<String> listener, Duration timeout) {
		throw new UnsupportedOperationException("A connection to one server receives the messages of a cluster");
	}

	/**
	 * Replace the connections to the server of a call only.
	 */
	@Override
	public boolean suspect(@Nullable RedisCall call) {
		HostAndPort address = (call != null) ? this.slots.known(call.keys()[0]) : null;
		RedisLinks server = (address != null) ? this.servers.get(address) : null;
		if (server != null) {
			server.replace(call);
		}
		this.slots.refresh();
		return true;
	}

	@Override
	public void close() {
		this.closed = true;
		this.servers.values().forEach(RedisLinks::leave);
		this.servers.values().forEach(RedisLinks::close);
	}

	/**
	 * Calls for one server.
	 */
	private final class Batch {

		final List<RedisCall> calls = new ArrayList<>();

		private final RedisLinks server;

		private final int index;

		private @Nullable JedisLink link;

		private List<CompletableFuture<RedisReply>> replies = List.of();

		Batch(HostAndPort address) {
			this.server = at(address);
			this.index = this.server.begin();
		}

		/**
		 * Write all calls.
		 * @param connected the deadline for a connection
		 */
		void write(long connected, long deadline) {
			try {
				JedisLink link = (JedisLink) this.server.get(this.index, connected);
				this.replies = link.sendAll(this.calls, deadline);
				this.link = link;
			}
			catch (RuntimeException ex) {
				this.replies = Collections.nCopies(this.calls.size(), CompletableFuture.failedFuture(ex));
			}
		}

		/**
		 * Read all replies, also those that were received after the deadline because
		 * another server was waited for. Calls that the server redirects are sent again.
		 */
		void read(long deadline, Map<RedisCall, CompletableFuture<RedisReply>> results) {
			JedisLink link = this.link;
			if (link != null) {
				link.drive(this.replies.get(this.replies.size() - 1), deadline);
			}
			end(this.server, this.index, link == null || !link.isOpen());
			for (int i = 0; i < this.calls.size(); i++) {
				RedisCall call = this.calls.get(i);
				CompletableFuture<RedisReply> reply = this.replies.get(i);
				results.put(call, (redirection(reply) != null) ? send(call, false, deadline) : reply);
			}
		}

	}

}
