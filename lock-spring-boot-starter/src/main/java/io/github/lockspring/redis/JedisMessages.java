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

import java.nio.charset.StandardCharsets;
import java.util.List;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Encoding of calls and decoding of replies with Jedis.
 */
final class JedisMessages {

	private JedisMessages() {
	}

	static CommandArguments command(RedisCall call, boolean byText) {
		CommandArguments command = new CommandArguments(byText ? Protocol.Command.EVAL : Protocol.Command.EVALSHA);
		command.add(call.script(byText)).add(call.keys().length);
		for (byte[] key : call.keys()) {
			command.add(key);
		}
		for (byte[] arg : call.args()) {
			command.add(arg);
		}
		return command;
	}

	static RedisReply reply(Object answer) {
		RedisReply reply = new RedisReply();
		if (answer instanceof List<?> parts) {
			parts.forEach((part) -> add(part, reply));
		}
		else {
			add(answer, reply);
		}
		return reply;
	}

	private static void add(Object part, RedisReply reply) {
		if (part instanceof Long number) {
			reply.add(number);
		}
		else if (part instanceof byte[] text) {
			reply.add(text(text));
		}
		else {
			throw new JedisException("Unexpected reply: " + part);
		}
	}

	static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
