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
import java.util.function.Supplier;

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

	private final List<Sent> sent = new ArrayList<>();

	private @Nullable JedisLink link;

	JedisBatch(JedisLinks links) {
		this.links = links;
	}

	CompletableFuture<RedisReply> add(RedisCall call) {
		Sent sent = new Sent(call, new CompletableFuture<>());
		this.sent.add(sent);
		return sent.reply();
	}

	/**
	 * Write the calls.
	 * @param connectDeadline the deadline for getting a connection
	 * @param deadline the deadline of the calls
	 */
	void write(long connectDeadline, long deadline) {
		try {
			this.link = this.links.borrow(connectDeadline);
			write(this.link, deadline);
		}
		catch (RuntimeException ex) {
			this.sent.forEach((each) -> each.reply().completeExceptionally(ex));
		}
	}

	private void write(JedisLink link, long deadline) {
		try {
			link.begin(deadline);
			for (Sent each : this.sent) {
				link.write(JedisMessages.command(each.call(), false));
			}
			link.flush();
			link.end(); // the time of other servers is not that of this one
		}
		catch (RuntimeException ex) {
			link.setBroken();
			throw ex;
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
		List<Sent> redirected = new ArrayList<>();
		long now = System.nanoTime();
		link.begin(now + Math.max(deadline - now, READ_NANOS));
		try {
			for (Sent each : this.sent) {
				if (!each.complete(() -> link.readReply(deadline))) {
					redirected.add(each);
				}
			}
		}
		finally {
			this.links.release(link);
		}
		redirected.forEach((each) -> each.complete(again.apply(each.call())::join));
	}

	private record Sent(RedisCall call, CompletableFuture<RedisReply> reply) {

		/**
		 * Complete the reply, unless the call is redirected.
		 * @return {@code false} if the call is redirected to another server
		 */
		boolean complete(Supplier<RedisReply> answer) {
			try {
				this.reply.complete(answer.get());
			}
			catch (JedisRedirectionException ex) {
				return false;
			}
			catch (RuntimeException ex) {
				this.reply.completeExceptionally(ex);
			}
			return true;
		}

	}

}
