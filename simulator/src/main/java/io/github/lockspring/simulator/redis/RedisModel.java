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

package io.github.lockspring.simulator.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * A Redis server in memory: keys with strings and hashes, scripts, which run in the Lua
 * of Redis, and messages. Its clock is that of the caller. Replies and errors are those
 * of Redis 7.0; hashes are in the order of the creation of their fields. Not thread-safe.
 */
public final class RedisModel {

	private static final String INFO = "# Server\r\nredis_version:7.0.15\r\nmaxmemory_policy:noeviction\r\n"
			+ "aof_enabled:1\r\nrole:master\r\nconnected_slaves:0\r\n";

	private final LongSupplier clock;

	private final LuaInterpreter interpreter = LuaInterpreter.shared();

	private final Keyspace keyspace;

	private final Set<String> scripts = new HashSet<>();

	private final Channels channels = new Channels();

	private long nowMicros;

	private boolean written;

	private boolean outOfMemory;

	private boolean readOnly;

	private @Nullable String rejection;

	private long requests;

	/**
	 * Create a server without data.
	 * @param clock the clock of the server, in microseconds since 1970
	 */
	public RedisModel(LongSupplier clock) {
		this.clock = clock;
		this.keyspace = new Keyspace();
	}

	private RedisModel(RedisModel original, LongSupplier clock) {
		this.clock = clock;
		this.keyspace = new Keyspace(original.keyspace);
	}

	/**
	 * Return a server with the present data, like a replica that receives nothing from
	 * now on. It has no scripts and no listeners.
	 * @param clock the clock of the copy, in microseconds since 1970
	 * @return the copy
	 */
	public RedisModel copy(LongSupplier clock) {
		return new RedisModel(this, clock);
	}

	/**
	 * Run a command of a client.
	 * @param words the command and its arguments
	 * @return the reply: a {@code Long}, a {@code String}, a {@code List}, or
	 * {@code null}
	 * @throws RedisErrorReply if the server replies with an error
	 */
	public @Nullable Object command(String... words) {
		this.requests++;
		if (this.rejection != null) {
			throw new RedisErrorReply(this.rejection);
		}
		this.nowMicros = this.clock.getAsLong();
		this.keyspace.setTime(this.nowMicros / 1000);
		Object reply = switch (words[0].toUpperCase(Locale.ROOT)) {
			case "EVAL" -> eval(load(words[1]), words);
			case "EVALSHA" -> eval(requireScript(words[1].toLowerCase(Locale.ROOT)), words);
			case "SCRIPT" -> script(words);
			case "PING" -> "PONG";
			case "INFO" -> INFO;
			default -> ordinary(words);
		};
		return (reply instanceof Status status) ? status.text() : reply;
	}

	private @Nullable Object eval(String sha, String[] words) {
		int keys = Integer.parseInt(words[2]);
		if (keys > words.length - 3) {
			throw new RedisErrorReply("ERR Number of keys can't be greater than number of args");
		}
		List<String> all = Arrays.asList(words);
		this.written = false;
		return this.interpreter.run(sha, all.subList(3, 3 + keys), all.subList(3 + keys, words.length), this::called);
	}

	private String requireScript(String sha) {
		if (!this.scripts.contains(sha)) {
			throw new RedisErrorReply("NOSCRIPT No matching script. Please use EVAL.");
		}
		return sha;
	}

	private String load(String script) {
		String sha = sha1(script);
		this.interpreter.compile(sha, script);
		this.scripts.add(sha);
		return sha;
	}

	private static String sha1(String script) {
		try {
			byte[] bytes = script.getBytes(StandardCharsets.UTF_8);
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex); // every Java platform has it
		}
	}

	private Object script(String[] words) {
		if (words[1].equalsIgnoreCase("LOAD")) {
			return load(words[2]);
		}
		flushScripts();
		return "OK";
	}

	private @Nullable Object ordinary(String[] words) {
		RedisCommand command = find(words[0]);
		if (command == null) {
			throw new RedisErrorReply("ERR unknown command '" + words[0] + "', with args beginning with: ");
		}
		if (!command.accepts(words.length)) {
			throw new RedisErrorReply(
					"ERR wrong number of arguments for '" + words[0].toLowerCase(Locale.ROOT) + "' command");
		}
		this.written = false;
		return run(command, words);
	}

	private static @Nullable RedisCommand find(String name) {
		try {
			return RedisCommand.valueOf(name.toUpperCase(Locale.ROOT));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * Run a command of a script.
	 */
	private @Nullable Object called(String[] words) {
		RedisCommand command = find(words[0]);
		if (command == null) {
			throw new RedisErrorReply("ERR Unknown Redis command called from script");
		}
		if (!command.accepts(words.length)) {
			throw new RedisErrorReply("ERR Wrong number of args calling Redis command from script");
		}
		return run(command, words);
	}

	/**
	 * Run a command. A server that is out of memory rejects only the first write of a
	 * script.
	 */
	private @Nullable Object run(RedisCommand command, String[] words) {
		if (command.isWrite()) {
			if (this.readOnly) {
				throw new RedisErrorReply(RedisErrorReply.READ_ONLY);
			}
			if (this.outOfMemory && !this.written && command.mayNeedMemory()) {
				throw new RedisErrorReply(RedisErrorReply.OUT_OF_MEMORY);
			}
			this.written = true;
		}
		return switch (command) {
			case TIME -> List.of(Long.toString(this.nowMicros / 1_000_000), Long.toString(this.nowMicros % 1_000_000));
			case PUBLISH -> this.channels.publish(words[1], words[2]);
			default -> this.keyspace.run(command, words);
		};
	}

	/**
	 * Subscribe to a channel.
	 * @param channel the name of the channel
	 * @param listener receives the messages
	 */
	public void subscribe(String channel, RedisListener listener) {
		this.channels.subscribe(channel, listener);
	}

	/**
	 * End the subscriptions of a listener, without telling it.
	 * @param listener the listener
	 */
	public void unsubscribe(RedisListener listener) {
		this.channels.unsubscribe(listener);
	}

	/**
	 * Return whether a listener is subscribed to a channel.
	 * @param listener the listener
	 * @return whether it is
	 */
	public boolean isSubscribed(RedisListener listener) {
		return this.channels.hasListener(listener);
	}

	/**
	 * End the subscriptions of all listeners, without telling them.
	 */
	public void forgetListeners() {
		this.channels.clear();
	}

	/**
	 * Close the connections of all listeners.
	 */
	public void disconnectListeners() {
		this.channels.close();
	}

	/**
	 * Restart. The server forgets the scripts and closes the connections of listeners.
	 * @param keepData whether it keeps the data
	 */
	public void restart(boolean keepData) {
		if (!keepData) {
			this.keyspace.clear();
		}
		flushScripts();
		disconnectListeners();
	}

	/**
	 * Forget the scripts.
	 */
	public void flushScripts() {
		this.scripts.clear();
	}

	/**
	 * Lose a key, as if it was evicted.
	 * @param key the name of the key
	 * @return whether it existed
	 */
	public boolean evict(String key) {
		return this.keyspace.remove(key);
	}

	/**
	 * Set whether the server is out of memory, and rejects commands that may need some.
	 * @param outOfMemory whether it is
	 */
	public void setOutOfMemory(boolean outOfMemory) {
		this.outOfMemory = outOfMemory;
	}

	/**
	 * Set whether the server is a replica, and rejects writes.
	 * @param readOnly whether it is
	 */
	public void setReadOnly(boolean readOnly) {
		this.readOnly = readOnly;
	}

	/**
	 * Reject all commands, or accept them again.
	 * @param error the error message, such as
	 * {@code LOADING Redis is loading the dataset in memory}, or {@code null}
	 */
	public void reject(@Nullable String error) {
		this.rejection = error;
	}

	/**
	 * Return the names of the keys that have not expired.
	 * @return the names, sorted
	 */
	public List<String> keys() {
		this.keyspace.setTime(this.clock.getAsLong() / 1000);
		return this.keyspace.keys();
	}

	/**
	 * Return the number of keys in memory, some of which may have expired.
	 * @return the number of keys
	 */
	public int size() {
		return this.keyspace.size();
	}

	/**
	 * Return the number of requests received since the creation.
	 * @return the number of requests
	 */
	public long requests() {
		return this.requests;
	}

	/**
	 * Reply that is a status.
	 *
	 * @param text the status
	 */
	record Status(String text) {

	}

}
