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
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/**
 * Pipelined calls to one server: all are written before the first reply is read.
 */
final class JedisBatch {

	/**
	 * Minimum time to read replies that may have arrived while another server was waited
	 * for until the deadline.
	 */
	private static final long READ_NANOS = Duration.ofSeconds(1).toNanos();

	private final JedisLinks links;

	private final List<RedisCall> calls = new ArrayList<>();

	private final List<CompletableFuture<RedisReply>> replies = new ArrayList<>();

	private @Nullable JedisLink link;

	JedisBatch(JedisLinks links) {
		this.links = links;
	}

	CompletableFuture<RedisReply> add(RedisCall call) {
		CompletableFuture<RedisReply> reply = new CompletableFuture<>();
		this.calls.add(call);
		this.replies.add(reply);
		return reply;
	}

	/**
	 * Write the calls.
	 * @param connectDeadline the deadline for getting a connection
	 * @param deadline the deadline of the calls
	 */
	void write(long connectDeadline, long deadline) {
		try {
			this.link = this.links.borrow(connectDeadline);
			this.link.begin(deadline);
		}
		catch (RuntimeException ex) {
			this.replies.forEach((reply) -> reply.completeExceptionally(ex));
			return;
		}
		write(this.link);
	}

	private void write(JedisLink link) {
		try {
			for (RedisCall call : this.calls) {
				link.write(JedisMessages.command(call, false));
			}
			link.flush();
			link.end(); // the time of other servers is not that of this one
		}
		catch (RuntimeException ex) {
			link.setBroken();
			this.replies.forEach((reply) -> reply.completeExceptionally(ex));
		}
	}

	/**
	 * Read the replies.
	 * @param again sends a call that is redirected to another server
	 */
	void read(long deadline, Function<RedisCall, CompletableFuture<RedisReply>> again) {
		JedisLink link = this.link;
		if (link == null) {
			return;
		}
		List<Integer> elsewhere = new ArrayList<>();
		long now = System.nanoTime();
		link.begin(now + Math.max(deadline - now, READ_NANOS));
		try {
			for (int i = 0; i < this.calls.size(); i++) {
				if (!read(link, deadline, this.replies.get(i))) {
					elsewhere.add(i);
				}
			}
		}
		finally {
			this.links.release(link);
		}
		for (int i : elsewhere) {
			CompletableFuture<RedisReply> reply = this.replies.get(i);
			again.apply(this.calls.get(i)).whenComplete((other, failure) -> {
				if (failure != null) {
					reply.completeExceptionally(failure);
				}
				else {
					reply.complete(other);
				}
			});
		}
	}

	private static boolean read(JedisLink link, long deadline, CompletableFuture<RedisReply> reply) {
		try {
			reply.complete(link.readReply(deadline));
		}
		catch (JedisRedirectionException ex) {
			return false;
		}
		catch (RuntimeException ex) {
			reply.completeExceptionally(ex);
		}
		return true;
	}

}
