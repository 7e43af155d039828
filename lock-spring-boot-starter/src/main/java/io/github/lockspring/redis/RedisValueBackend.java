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
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Value;
import io.github.lockspring.spi.ValueBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;
import io.github.lockspring.spi.ValueUpdateResult;

/**
 * {@link ValueBackend} of a {@link RedisLockBackend}.
 * <ol>
 * <li>An update is one run of a script, which also records the update with the value, as
 * the last one of its process, and notifies the processes that watch the value.</li>
 * <li>A watch is registered by the script that reads the value. It ends with the
 * notification, or by itself after half a minute, and is renewed by the next read.</li>
 * <li>A version is the server's clock in microseconds, or one more than the last version
 * if the clock is behind it, so that versions increase even if the server lost the last
 * updates.</li>
 * </ol>
 * Thread-safe.
 */
final class RedisValueBackend implements ValueBackend {

	/**
	 * Maximum number of values read in one run of a script, so that it does not block the
	 * server for long.
	 */
	private static final int READ_PER_CALL = 250;

	private static final byte[] NOTHING = {};

	private static final byte[] NONE = { '-' };

	private static final byte[] REPLACE = RedisCall.arg("replace");

	private static final byte[] SET = RedisCall.arg("set");

	private static final byte[] EXPIRE = RedisCall.arg("expire");

	private static final byte[] AGAIN = RedisCall.arg("again");

	private final RedisClientAdapter client;

	private final RedisCalls calls;

	private final Supplier<String> channel;

	/**
	 * Keys of watched values, by the names of their Redis keys.
	 */
	private final Map<String, String> watched = new ConcurrentHashMap<>();

	RedisValueBackend(RedisClientAdapter client, RedisCalls calls, Supplier<String> channel) {
		this.client = client;
		this.calls = calls;
		this.channel = channel;
	}

	@Override
	public Map<String, Value> read(Collection<String> keys, boolean watch, Duration timeout) {
		if (watch) {
			keys.forEach((key) -> this.watched.put(RedisKeys.ofValue(key), key));
		}
		byte[] watcher = (watch && this.client.isListening()) ? RedisCall.arg(this.channel.get()) : NOTHING;
		Map<String, Value> values = new HashMap<>();
		boolean complete = this.calls.runInBatches(keys, READ_PER_CALL, (batch) -> read(batch, watcher), timeout,
				(batch, reply) -> addValues(batch, reply.texts(), values));
		if (!complete) {
			throw new BackendUnavailableException("Redis did not respond for all of " + keys.size() + " values", null);
		}
		return values;
	}

	private static RedisCall read(List<String> keys, byte[] watcher) {
		return new RedisCall(RedisScript.READ_VALUES,
				keys.stream().map(RedisValueBackend::nameOf).toArray(byte[][]::new), watcher);
	}

	private static void addValues(List<String> keys, List<String> texts, Map<String, Value> values) {
		for (int i = 0; i < texts.size(); i++) {
			if (!texts.get(i).isEmpty()) {
				String[] words = texts.get(i).split(" ");
				values.put(keys.get(i), value(words[0], words[1]));
			}
		}
	}

	@Override
	public void unwatch(String key) {
		this.watched.remove(RedisKeys.ofValue(key));
	}

	@Override
	public boolean notifiesOfChanges() {
		return this.client.isListening();
	}

	@Override
	public boolean expiresValues() {
		return true;
	}

	@Override
	public ValueUpdateResult update(ValueUpdate update, Duration timeout) {
		RedisReply reply = this.calls.run(this.calls.acknowledged(call(update)), timeout);
		if (reply.texts().isEmpty()) {
			throw new OutcomeUnknownException("Unknown whether a repeated update of '" + update.key()
					+ "' was applied: the store no longer has a record of it", null);
		}
		String[] words = reply.texts().get(0).split(" ");
		ValueUpdateResult result = new ValueUpdateResult(value(words[0], words[1]), value(words[2], words[3]));
		String message = result.applied() ? this.calls.missingAcknowledgements(reply) : null;
		if (message != null) {
			throw new OutcomeUnknownException(message, null);
		}
		return result;
	}

	/**
	 * Create the call of an update. Trailing arguments are omitted in the call of a
	 * counter, which is a first attempt to add without a minimum.
	 */
	private static RedisCall call(ValueUpdate update) {
		ValueChange change = update.change();
		if (change instanceof ValueChange.Add add) {
			boolean plain = Math.max(add.min(), add.minKept()) == Long.MIN_VALUE && !update.repeated();
			byte[] delta = RedisCall.arg(add.delta());
			return plain ? call(update, delta) : call(update, delta, minimum(add.min()), minimum(add.minKept()));
		}
		if (change instanceof ValueChange.Replace replace) {
			return call(update, RedisCall.arg(replace.number()), RedisCall.arg(replace.expectedNumber()), REPLACE);
		}
		if (change instanceof ValueChange.Set set) {
			return call(update, RedisCall.arg(set.number()), version(set.expectedVersion()), SET);
		}
		if (change instanceof ValueChange.Expire expire) {
			return call(update, RedisCall.arg(expire.millis()), NONE, EXPIRE);
		}
		ValueChange.Delete delete = (ValueChange.Delete) change;
		return call(update, NONE, version(delete.expectedVersion()), SET);
	}

	private static RedisCall call(ValueUpdate update, byte[] operand, byte[] condition, byte[] kind) {
		return call(update, operand, condition, kind, update.repeated() ? AGAIN : NONE);
	}

	private static RedisCall call(ValueUpdate update, byte[]... change) {
		byte[][] args = new byte[change.length + 2][];
		args[0] = RedisCall.arg(update.id().instance());
		args[1] = RedisCall.arg(update.id().sequence());
		System.arraycopy(change, 0, args, 2, change.length);
		return new RedisCall(RedisScript.UPDATE_VALUE, new byte[][] { nameOf(update.key()) }, args);
	}

	private static byte[] minimum(long number) {
		return (number != Long.MIN_VALUE) ? RedisCall.arg(number) : NONE;
	}

	private static byte[] version(long expected) {
		return (expected != ValueChange.ANY_VERSION) ? RedisCall.arg(expected) : NONE;
	}

	private static Value value(String number, String version) {
		return version.equals("0") ? Value.ABSENT : new Value(Long.parseLong(number), Long.parseLong(version));
	}

	/**
	 * Handle a message.
	 * @param message the name of the Redis key of a value that was changed, its number or
	 * a hyphen, and its version
	 * @param listener called if the value is watched
	 */
	void notifyOf(String message, BackendListener listener) {
		int version = message.lastIndexOf(' ');
		int number = message.lastIndexOf(' ', version - 1);
		String key = (number > 0) ? this.watched.get(message.substring(0, number)) : null;
		if (key == null) {
			return;
		}
		String text = message.substring(number + 1, version);
		long changed = Long.parseLong(message.substring(version + 1));
		listener.onValueChanged(key, text.equals("-") ? Value.ABSENT : new Value(Long.parseLong(text), changed),
				changed);
	}

	/**
	 * Notify of all watched values, because messages may have been lost.
	 */
	void notifyOfAll(BackendListener listener) {
		this.watched.values().forEach(listener::onValueChanged);
	}

	private static byte[] nameOf(String key) {
		return RedisKeys.ofValue(key).getBytes(StandardCharsets.UTF_8);
	}

}
