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

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link RedisModel}: its clock and its faults.
 */
class RedisModelTests {

	private long nowMicros = 1_800_000_000_000_000L;

	private final RedisModel server = new RedisModel(() -> this.nowMicros);

	private final List<String> heard = new ArrayList<>();

	private final RedisListener listener = new RedisListener() {

		@Override
		public void message(String text) {
			RedisModelTests.this.heard.add(text);
		}

		@Override
		public void closed() {
			RedisModelTests.this.heard.add("closed");
		}

	};

	private Object eval(String script, String... keys) {
		List<String> words = new ArrayList<>(List.of("EVAL", script, Integer.toString(keys.length)));
		words.addAll(List.of(keys));
		return this.server.command(words.toArray(String[]::new));
	}

	private void assertRejected(String message, String... command) {
		assertThatExceptionOfType(RedisErrorReply.class).isThrownBy(() -> this.server.command(command))
			.withMessageStartingWith(message);
	}

	@Test
	void keyExpiresOneMillisecondAfterItsTime() {
		this.server.command("HSET", "key", "field", "1");
		this.server.command("PEXPIRE", "key", "10");
		this.nowMicros += 10_000;
		assertThat(this.server.command("PTTL", "key")).isEqualTo(0L);
		assertThat(this.server.command("HGET", "key", "field")).isEqualTo("1");
		this.nowMicros += 1000;
		assertThat(this.server.command("HGET", "key", "field")).isNull();
		assertThat(this.server.command("EXISTS", "key")).isEqualTo(0L);
		assertThat(this.server.command("PTTL", "key")).isEqualTo(-2L);
		assertThat(this.server.keys()).isEmpty();
	}

	@Test
	void changeOfHashKeepsItsTimeToLiveAndNewHashHasNone() {
		this.server.command("HSET", "key", "field", "1");
		this.server.command("PEXPIRE", "key", "10");
		this.server.command("HSET", "key", "field", "2");
		assertThat(this.server.command("PTTL", "key")).isEqualTo(10L);
		this.server.command("HDEL", "key", "field");
		this.server.command("HSET", "key", "field", "3");
		assertThat(this.server.command("PTTL", "key")).isEqualTo(-1L);
	}

	@Test
	void timeStandsStillDuringAScript() {
		RedisModel ticking = new RedisModel(() -> this.nowMicros++);
		assertThat(ticking.command("EVAL", "return { redis.call('TIME')[2], redis.call('TIME')[2] }", "0"))
			.isEqualTo(List.of("0", "0"));
		assertThat(ticking.command("TIME")).isEqualTo(List.of("1800000000", "1"));
	}

	@Test
	void expiredKeysAreRemovedEvenIfNobodyAsksForThem() {
		for (int i = 0; i < 100_000; i++) {
			this.server.command("HSET", "key" + i, "field", "1");
			this.server.command("PEXPIRE", "key" + i, "10");
			this.nowMicros += 1000;
		}
		assertThat(this.server.size()).isLessThan(3000);
		assertThat(this.server.keys()).hasSize(10);
	}

	@Test
	void serverOutOfMemoryRejectsTheFirstWriteOfAScriptIfItNeedsMemory() {
		this.server.command("HSET", "key", "field", "1");
		this.server.setOutOfMemory(true);
		assertRejected("OOM command not allowed when used memory > 'maxmemory'.", "HSET", "key", "field", "2");
		assertThatExceptionOfType(RedisErrorReply.class)
			.isThrownBy(() -> eval("redis.call('HSET', KEYS[1], 'field', 2)", "key"))
			.withMessageMatching("OOM command not allowed when used memory > 'maxmemory'\\. "
					+ "script: \\p{XDigit}{40}, on @user_script:1\\.");
		eval("redis.call('HDEL', KEYS[1], '') redis.call('HSET', KEYS[1], 'field', 3)", "key");
		assertThat(this.server.command("HGET", "key", "field")).isEqualTo("3");
		assertRejected("OOM", "EVAL", "redis.call('HSET', KEYS[1], 'field', 2)", "1", "key");
		this.server.setOutOfMemory(false);
		this.server.command("HSET", "key", "field", "4");
	}

	@Test
	void scriptMayHandleAnError() {
		this.server.command("SET", "key", "text");
		assertThat(eval("return redis.pcall('HGET', KEYS[1], 'field').err", "key"))
			.isEqualTo("WRONGTYPE Operation against a key holding the wrong kind of value");
		assertThat(eval("local ok, failure = pcall(redis.call, 'HGET', KEYS[1], 'field') return failure.err", "key"))
			.isEqualTo("WRONGTYPE Operation against a key holding the wrong kind of value");
	}

	@Test
	void failedScriptKeepsItsWritesAndTheNextOneRuns() {
		assertRejected("ERR user_script:1: failure", "EVAL", "redis.call('SET', 'key', '1') error('failure')", "0");
		assertThat(this.server.command("GET", "key")).isEqualTo("1");
		assertThat(eval("return redis.call('GET', 'key')")).isEqualTo("1");
	}

	@Test
	void restartKeepsDataOrNotButNeverScriptsAndSubscriptions() {
		Object sha = this.server.command("SCRIPT", "LOAD", "return 1");
		this.server.command("SET", "key", "text");
		this.server.subscribe("channel", this.listener);
		this.server.restart(true);
		assertThat(this.heard).containsExactly("closed");
		assertThat(this.server.isSubscribed(this.listener)).isFalse();
		assertThat(this.server.command("PUBLISH", "channel", "text")).isEqualTo(0L);
		assertThat(this.server.command("GET", "key")).isEqualTo("text");
		assertRejected("NOSCRIPT", "EVALSHA", (String) sha, "0");
		assertThat(eval("return 1")).isEqualTo(1L);
		assertThat(this.server.command("EVALSHA", (String) sha, "0")).isEqualTo(1L);
		this.server.restart(false);
		assertThat(this.server.command("GET", "key")).isNull();
	}

	@Test
	void copyIsWhatAReplicaHasThatReceivesNothingMore() {
		this.server.command("HSET", "key", "field", "1");
		this.server.command("PEXPIRE", "key", "10");
		this.server.subscribe("channel", this.listener);
		RedisModel copy = this.server.copy(() -> this.nowMicros + 5000);
		this.server.command("HSET", "key", "field", "2");
		assertThat(copy.command("HGET", "key", "field")).isEqualTo("1");
		assertThat(copy.command("PTTL", "key")).isEqualTo(5L);
		copy.command("DEL", "key");
		assertThat(this.server.command("HGET", "key", "field")).isEqualTo("2");
		assertThat(copy.command("PUBLISH", "channel", "text")).isEqualTo(0L);
		assertThat(copy.command("EVAL", "return 7", "0")).isEqualTo(7L);
	}

	@Test
	void messagesReachTheListenersOfTheirChannel() {
		this.server.subscribe("channel", this.listener);
		this.server.subscribe("other", this.listener);
		assertThat(eval("return redis.call('PUBLISH', 'channel', 'one')")).isEqualTo(1L);
		assertThat(this.server.command("PUBLISH", "none", "two")).isEqualTo(0L);
		this.server.unsubscribe(this.listener);
		this.server.command("PUBLISH", "channel", "three");
		assertThat(this.heard).containsExactly("one");
	}

	@Test
	void serverMayRejectWritesOrEverything() {
		this.server.command("SET", "key", "text");
		this.server.setReadOnly(true);
		assertRejected("READONLY You can't write against a read only replica.", "DEL", "key");
		assertRejected("READONLY", "EVAL", "redis.call('HDEL', 'key', '')", "0");
		assertThat(this.server.command("GET", "key")).isEqualTo("text");
		this.server.reject("LOADING Redis is loading the dataset in memory");
		assertRejected("LOADING", "GET", "key");
		this.server.reject(null);
		assertThat(this.server.command("GET", "key")).isEqualTo("text");
	}

	@Test
	void evictedKeyIsGone() {
		this.server.command("SET", "key", "text");
		assertThat(this.server.evict("key")).isTrue();
		assertThat(this.server.evict("key")).isFalse();
		assertThat(this.server.command("GET", "key")).isNull();
	}

	@Test
	void listenerMustNotCallTheServerWhileAScriptRuns() {
		this.server.subscribe("channel", new RedisListener() {

			@Override
			public void message(String text) {
				assertThatIllegalStateException().isThrownBy(() -> eval("return 1")).withMessage("A script is running");
				RedisModelTests.this.heard.add(text);
			}

			@Override
			public void closed() {
			}

		});
		assertThat(eval("return redis.call('PUBLISH', 'channel', 'text')")).isEqualTo(1L);
		assertThat(this.heard).containsExactly("text");
	}

}
