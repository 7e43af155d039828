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

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

/**
 * Encoding of calls and decoding of replies with Lettuce.
 */
final class LettuceMessages {

	private LettuceMessages() {
	}

	/**
	 * Encode a call.
	 * @param byText whether to send the text of the script instead of its digest
	 */
	static AsyncCommand<byte[], byte[], RedisReply> command(RedisCall call, boolean byText) {
		byte[][] keys = call.keys();
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE).add(call.script(byText))
			.add(keys.length);
		for (byte[] key : keys) {
			args.addKey(key);
		}
		for (byte[] arg : call.args()) {
			args.add(arg);
		}
		return new AsyncCommand<>(
				new Command<>(byText ? CommandType.EVAL : CommandType.EVALSHA, new ReplyOutput(), args));
	}

	/**
	 * Return the server to which a command was redirected last.
	 * @return its address, or {@code null} if the command was not redirected
	 */
	static @Nullable RedisURI redirectionOf(AsyncCommand<byte[], byte[], RedisReply> command) {
		String error = ((ReplyOutput) command.getOutput()).redirection;
		if (error == null) {
			return null;
		}
		int port = error.lastIndexOf(':') + 1;
		return RedisURI.create(error.substring(error.lastIndexOf(' ') + 1, port - 1),
				Integer.parseInt(error.substring(port)));
	}

	/**
	 * Wait on the server for the replicas that must acknowledge a call.
	 * @return the number of replicas that have acknowledged it
	 */
	static CompletableFuture<RedisReply> awaitReplicas(StatefulConnection<byte[], byte[]> connection, RedisCall call) {
		return send(connection, CommandType.WAIT,
				args().add(call.replicas()).add(Math.max(1, call.within().toMillis())));
	}

	/**
	 * Query whether the server accepts writes. A server that does not permit the query is
	 * assumed to accept them.
	 */
	static CompletableFuture<Boolean> isPrimary(StatefulConnection<byte[], byte[]> connection) {
		return send(connection, CommandType.ROLE, args()).handle((reply, failure) -> {
			if (failure == null) {
				return RedisErrors.isPrimary(reply.texts().get(0));
			}
			if (failure instanceof RedisCommandExecutionException) {
				return true;
			}
			throw new CompletionException(failure);
		});
	}

	private static CommandArgs<byte[], byte[]> args() {
		return new CommandArgs<>(ByteArrayCodec.INSTANCE);
	}

	private static CompletableFuture<RedisReply> send(StatefulConnection<byte[], byte[]> connection, CommandType type,
			CommandArgs<byte[], byte[]> args) {
		AsyncCommand<byte[], byte[], RedisReply> command = new AsyncCommand<>(
				new Command<>(type, new ReplyOutput(), args));
		connection.dispatch(command);
		return command;
	}

	/**
	 * Collects the reply of a script.
	 */
	private static final class ReplyOutput extends CommandOutput<byte[], byte[], RedisReply> {

		private @Nullable String redirection;

		ReplyOutput() {
			super(ByteArrayCodec.INSTANCE, new RedisReply());
		}

		@Override
		public void set(long number) {
			this.output.add(number);
		}

		@Override
		public void set(ByteBuffer bytes) {
			this.output.add((bytes != null) ? StandardCharsets.UTF_8.decode(bytes).toString() : "");
		}

		@Override
		public void setError(ByteBuffer message) {
			super.setError(message);
			if (this.error.startsWith("MOVED ") || this.error.startsWith("ASK ")) {
				this.redirection = this.error;
			}
		}

		@Override
		public void multi(int count) {
			// the answers are flat
		}

	}

}
