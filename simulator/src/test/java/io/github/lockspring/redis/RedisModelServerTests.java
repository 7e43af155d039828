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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.RedisConnection;
import io.github.lockspring.server.RedisErrorException;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.simulator.redis.RedisErrorReply;
import io.github.lockspring.simulator.redis.RedisListener;
import io.github.lockspring.simulator.redis.RedisModel;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares {@link RedisModel} with a real server: the same random calls of the scripts
 * get the same answers, publish the same messages, and leave the same keys. On both, the
 * scripts get their time from the test; keys expire by the real time on the server, and
 * not at all in the model. {@code -Dlock.test.seed} repeats the choices of another run.
 */
class RedisModelServerTests {

	private static final int SEQUENCES = 25 * Integer.getInteger("lock.test.scale", 1);

	private static final int STEPS = 60;

	/**
	 * Shorter than the shortest time to live that a script sets.
	 */
	private static final Duration MAX_SEQUENCE = Duration.ofSeconds(8);

	/**
	 * Replaces the command {@code TIME} by the first argument.
	 */
	private static final String CLOCK = "local redis = (function(server, now) " + "local function run(f, name, ...) "
			+ "if name == 'TIME' then return { string.match(now, '(%d+) (%d+)') } end "
			+ "local answer = f(name, ...) return answer end "
			+ "return { error_reply = server.error_reply, call = function(...) return (run(server.call, ...)) end, "
			+ "pcall = function(...) return (run(server.pcall, ...)) end } end)(redis, table.remove(ARGV, 1)) ";

	private static final List<String> KEYS = List.of("{a}", "{b}", "{\u00fc\u20ac}");

	private static final List<String> VALUES = List.of("{a}:value", "{v}:value");

	private static final String MARK = "{lock:}:mark";

	private static final List<String> INTEGERS = List.of("0", "1", "-1", "20000", "007", "1.5", "-0", "", " 1", "1 ",
			"+1", "1e3", "9223372036854775807", "9223372036854775808", "-9223372036854775808");

	private final long seed = Long.getLong("lock.test.seed", System.nanoTime());

	private final RedisServer process = RedisServer.start();

	private final RedisConnection server = this.process.connect();

	private final RedisConnection subscriber = this.process.connect();

	private final RedisModel model = new RedisModel(() -> 1_800_000_000_000_000L);

	private final List<String> history = new ArrayList<>();

	private final List<String> messages = new ArrayList<>();

	private Random random = new Random(this.seed);

	private long begin;

	private long nowMicros = 1_800_000_000_000_000L;

	private int answers;

	private int errors;

	@AfterEach
	void stop() {
		this.subscriber.close();
		this.server.close();
		this.process.close();
	}

	@Test
	void scriptsAnswerLikeOnTheServer() {
		subscribe("chan1");
		for (int i = 0; i < SEQUENCES; i++) {
			begin(i);
			for (int step = 0; step < STEPS && !isTooSlow(); step++) {
				step();
				requireSameMessages();
				Stream.of(KEYS, VALUES, List.of(MARK)).flatMap(List::stream).forEach(this::requireSameState);
			}
		}
		assertThat(this.answers).isGreaterThan(SEQUENCES);
		System.out.println(this.answers + " answers, " + this.errors + " errors with -Dlock.test.seed=" + this.seed);
	}

	@Test
	void manyUpdatesAreForgottenLikeOnTheServer() {
		begin(0);
		for (int i = 0; i < 400 && !isTooSlow(); i++) {
			this.nowMicros += 1000;
			script(RedisScript.UPDATE_VALUE, List.of(VALUES.get(0)), "process" + this.random.nextInt(300),
					Integer.toString(i), "1");
			requireSameState(VALUES.get(0));
		}
	}

	@Test
	void commandsAnswerLikeOnTheServer() {
		for (int i = 0; i < SEQUENCES; i++) {
			begin(i);
			for (int step = 0; step < STEPS && !isTooSlow(); step++) {
				String[] command = command();
				if (this.random.nextBoolean()) {
					same(command);
				}
				else {
					String call = this.random.nextBoolean() ? "pcall" : "call";
					same(Stream
						.concat(Stream.of("EVAL", "local r = redis." + call + "(unpack(ARGV)) return r", "0"),
								Stream.of(command))
						.toArray(String[]::new));
				}
				KEYS.forEach(this::requireSameState);
			}
		}
		assertThat(this.errors).isPositive().isLessThan(this.answers);
	}

	@Test
	void scriptsAreFoundByDigestLikeOnTheServer() {
		Object sha = same("SCRIPT", "LOAD", "return KEYS[1]");
		same("EVALSHA", String.valueOf(sha), "1", "key");
		same("SCRIPT", "FLUSH");
		assertThat(same("EVALSHA", String.valueOf(sha), "1", "key")).asString().startsWith("-NOSCRIPT");
		same("EVAL", "return KEYS[1]", "1", "key");
		same("EVALSHA", String.valueOf(sha).toUpperCase(Locale.ROOT), "1", "key");
		same("EVAL", "return", "2", "key");
	}

	@Test
	void valuesAreConvertedLikeOnTheServer() {
		for (String value : List.of("nil", "true", "false", "3.99", "-3.99", "2^53", "'text'", "'\u00fc'", "{}",
				"{1,2,nil,4}", "{1,{'a',{}},false,true}", "{ok='fine'}", "{err='MINE failure'}",
				"{{err='MINE failure'},1}", "KEYS", "{KEYS[1],ARGV[1],#ARGV[1],#KEYS}",
				"redis.error_reply('MINE failure')", "redis.error_reply('-MINE failure')", "redis.error_reply(1)",
				"redis.status_reply('fine')", "tostring(2^53)", "string.format('%.0f', 1.8e15 + 1)", "1e15 .. ''",
				"error('failure')", "error({err='MINE failure'})", "missing", "KEYS.x.y", "{pcall(error, 'failure')}",
				"type(redis.call)",
				"{redis.pcall('HSET','h','f',1e15,'g',2^53+2,'i',-7,'j',1.5,'k',0.1),redis.call('HGETALL','h')}",
				"redis.pcall()", "redis.pcall('HGET')", "redis.pcall('HGET',{},1)", "redis.pcall('NONE',1)",
				"redis.pcall('HGET','none','f')", "redis.pcall('HMGET','none','f','g')",
				"redis.pcall('HGETALL','none')", "{redis.call('PTTL','none')==-2,redis.call('HGET','none','f')==false}",
				"redis.pcall('SET','s','x').ok", "redis.pcall('HGET','s','f').err", "{string.byte('\u00fc',1,-1)}")) {
			same("EVAL", "local a = 1\nlocal r = " + value + "\nreturn r", "1", "k\u00fc", "\u20ac");
		}
		same("EVAL", "x = 1", "0");
		same("EVAL", "local x =", "0");
		same("EVAL", "\n\nlocal r = redis.call('HGET')\nreturn r", "0");
		same("EVAL", "\n\nlocal function f()\nlocal r = redis.call('HGET', 's', 'f')\nreturn r\nend\nf()", "0");
	}

	private void begin(int number) {
		this.random = new Random(this.seed + number);
		this.history.clear();
		setOutOfMemory(false);
		this.server.command("FLUSHALL");
		this.model.restart(false);
		this.messages.clear();
		this.begin = System.nanoTime();
		this.model.subscribe("chan1", listener());
	}

	private boolean isTooSlow() {
		return System.nanoTime() - this.begin > MAX_SEQUENCE.toNanos();
	}

	private void subscribe(String channel) {
		this.subscriber.command("SUBSCRIBE", channel);
	}

	private RedisListener listener() {
		return new RedisListener() {

			@Override
			public void message(String text) {
				RedisModelServerTests.this.messages.add(text);
			}

			@Override
			public void closed() {
			}

		};
	}

	private void setOutOfMemory(boolean outOfMemory) {
		this.history.add("out of memory: " + outOfMemory);
		this.server.command("CONFIG", "SET", "maxmemory", outOfMemory ? "1" : "0");
		this.model.setOutOfMemory(outOfMemory);
	}

	private void step() {
		switch (this.random.nextInt(20)) {
			case 0, 1, 2, 3, 4 -> acquire();
			case 5, 6 -> script(RedisScript.RELEASE, someKeys(), withLead(List.of("1 x " + owner() + ' '), 1));
			case 7 -> script(RedisScript.RELEASE_WITH_DELAY, someKeys(), owner(), "2000");
			case 8 -> script(RedisScript.RENEW, KEYS, owner(), "30000", "1", owner(), "20000", "2");
			case 9 -> script(RedisScript.POLL, KEYS, channel(), owner(), owner(), owner());
			case 10 -> script(RedisScript.DOWNGRADE, List.of(any(KEYS)), owner(), owner(), "30000", "1",
					any(List.of("s", "p 1 3")));
			case 11 -> script(RedisScript.FORCE_RELEASE, List.of(any(KEYS)), owner(), channel(), "lost \u00fc");
			case 12 -> {
				script(RedisScript.INSPECT, List.of(any(KEYS)));
				script(RedisScript.INSPECT_QUEUE, List.of(any(KEYS)));
			}
			case 13 -> script(RedisScript.PROBE, List.of(any(KEYS)));
			case 14, 15, 16 -> update();
			case 17 ->
				script(RedisScript.READ_VALUES, this.random.nextBoolean() ? VALUES : List.of(any(VALUES)), channel());
			case 18 -> damage();
			default -> {
				this.nowMicros += this.random.nextInt(15_000_000);
			}
		}
		this.nowMicros += this.random.nextInt(3);
	}

	private void acquire() {
		String mode = any(List.of("x", "x", "s", "p 1 3", "p 2 3", "p 1 4 1"));
		String how = any(List.of("-", "f", "q " + channel(), "fq " + channel(), "q", "mq " + channel(),
				"qh " + channel(), "qc " + channel()));
		List<String> args = new ArrayList<>(
				List.of("1 x " + owner() + ' ', "30000", "40000", any(List.of("1", "1", "5")), mode));
		if (this.random.nextInt(3) > 0) {
			args.add(how);
		}
		script(RedisScript.ACQUIRE, someKeys(), withLead(args, 6));
	}

	private void update() {
		List<String> args = new ArrayList<>(
				List.of("process" + this.random.nextInt(3), Integer.toString(this.random.nextInt(20)),
						any(List.of("1", "-3", "5", "9007199254740993", "9223372036854775807", "-9223372036854775808",
								"-")),
						any(List.of("-", "0", "1", "5")), any(List.of("-", "replace", "set", "expire")),
						any(List.of("-", "again"))));
		if (args.get(4).equals("expire") || args.get(2).equals("-")) {
			args.set(2, args.get(4).equals("expire") ? any(List.of("0", "1000", "60000")) : "-");
			args.set(4, args.get(4).equals("expire") ? "expire" : "set");
		}
		script(RedisScript.UPDATE_VALUE, List.of(any(VALUES)), withLead(args, 6));
	}

	/**
	 * Writes something that the scripts do not expect.
	 */
	private void damage() {
		String key = any(Stream.concat(KEYS.stream(), VALUES.stream()).toList());
		switch (this.random.nextInt(7)) {
			case 0 -> same("SET", key, "text");
			case 1 -> same("HSET", key, "field", "foreign");
			case 2 ->
				same("HSET", key, any(List.of("state", "value")), any(List.of("2 x", "1 9100000000000000", "1 5 x")));
			case 3, 4 -> same("DEL", key);
			default -> setOutOfMemory(this.random.nextBoolean());
		}
	}

	private List<String> someKeys() {
		return (this.random.nextInt(4) == 0) ? KEYS.subList(0, 2) : List.of(any(KEYS));
	}

	private String owner() {
		return "owner" + this.random.nextInt(4) + "@h\u00f6st:1";
	}

	private String channel() {
		return any(List.of("chan1", "chan1", "chan2"));
	}

	/**
	 * Adds the lead of tokens at its place, sometimes.
	 */
	private String[] withLead(List<String> args, int index) {
		List<String> longer = new ArrayList<>(args);
		String lead = any(List.of("", "", "lead 5000000", "mark", "mark 1000000"));
		if (!lead.isEmpty()) {
			while (longer.size() < index) {
				longer.add("-");
			}
			longer.add(lead);
		}
		return longer.toArray(String[]::new);
	}

	private <T> T any(List<T> all) {
		return all.get(this.random.nextInt(all.size()));
	}

	private String[] command() {
		String key = any(KEYS);
		String field = any(List.of("f", "g", "", "\u20ac"));
		String number = any(INTEGERS);
		return switch (this.random.nextInt(17)) {
			case 0, 1 -> new String[] { "HSET", key, field, number };
			case 2 -> new String[] { "HSET", key, field, number, "g", "1" };
			case 3 -> new String[] { "HINCRBY", key, field, number };
			case 4 -> new String[] { "HGET", key, field };
			case 5 -> new String[] { "HMGET", key, field, "g" };
			case 6 -> new String[] { "HDEL", key, field, "g" };
			case 7 -> new String[] { "HLEN", key };
			case 8 -> new String[] { "EXISTS", key, any(KEYS) };
			case 9, 10 -> new String[] { "PEXPIRE", key, number.equals("1") ? "30000" : number };
			case 11 -> new String[] { "PERSIST", key };
			case 12 -> new String[] { "DEL", key, any(KEYS) };
			case 13 -> new String[] { "SET", key, number };
			case 14 -> new String[] { "GET", key };
			case 15 -> new String[] { "PUBLISH", "none", "text" };
			default -> new String[] { any(List.of("HSET", "HGET", "HDEL", "hget", "EXISTS")), key };
		};
	}

	private void script(RedisScript script, List<String> keys, String... args) {
		List<String> all = new ArrayList<>(keys);
		if (args.length > 0 && args[args.length - 1].startsWith("mark")) {
			all.add(MARK);
		}
		String text = CLOCK + new String(script.text(all.size()), StandardCharsets.UTF_8);
		List<String> words = new ArrayList<>(List.of("EVAL", text, Integer.toString(all.size())));
		words.addAll(all);
		words.add(this.nowMicros / 1_000_000 + " " + this.nowMicros % 1_000_000);
		words.addAll(List.of(args));
		this.history.add(script + " " + words.subList(2, words.size()));
		same(words.toArray(String[]::new));
	}

	private @Nullable Object same(String... words) {
		if (!words[0].equals("EVAL") || words[1].length() < 200) {
			this.history.add(String.join(" ", words));
		}
		Object expected = answer(this.server::command, words);
		this.history.add("  " + expected);
		this.answers++;
		if (expected instanceof String text && text.startsWith("-")) {
			this.errors++;
		}
		assertThat(sorted(answer(this.model::command, words))).as(this::description).isEqualTo(sorted(expected));
		return expected;
	}

	/**
	 * Sorts the texts of an answer: those of {@code HGETALL} have no order.
	 */
	private static @Nullable Object sorted(@Nullable Object answer) {
		boolean texts = answer instanceof List<?> list
				&& list.stream().allMatch((element) -> element instanceof String);
		return texts ? ((List<?>) answer).stream().sorted().toList() : answer;
	}

	private static @Nullable Object answer(Function<String[], @Nullable Object> receiver, String[] words) {
		try {
			return plain(receiver.apply(words));
		}
		catch (RedisErrorException | RedisErrorReply ex) {
			return '-' + ex.getMessage();
		}
	}

	/**
	 * Convert errors in an answer to texts.
	 */
	private static @Nullable Object plain(@Nullable Object answer) {
		if (answer instanceof List<?> list) {
			List<@Nullable Object> plain = new ArrayList<>();
			list.forEach((element) -> plain.add(plain(element)));
			return plain;
		}
		return (answer instanceof RuntimeException error) ? '-' + error.getMessage() : answer;
	}

	private void requireSameMessages() {
		for (String message : this.messages) {
			List<?> received = (List<?>) this.subscriber.receive();
			assertThat(received.get(2)).as(this::description).isEqualTo(message);
		}
		this.messages.clear();
	}

	private void requireSameState(String key) {
		assertThat(fields(answer(this.model::command, new String[] { "HGETALL", key }))).as(this::description)
			.isEqualTo(fields(answer(this.server::command, new String[] { "HGETALL", key })));
		long actual = (Long) this.model.command("PTTL", key);
		long expected = (Long) this.server.command("PTTL", key);
		long elapsed = (System.nanoTime() - this.begin) / 1_000_000 + 2;
		assertThat(actual).as(this::description).isBetween(expected, (expected < 0) ? expected : expected + elapsed);
	}

	private static @Nullable Object fields(@Nullable Object answer) {
		if (answer instanceof List<?> list) {
			TreeMap<Object, Object> fields = new TreeMap<>();
			IntStream.range(0, list.size() / 2).forEach((i) -> fields.put(list.get(2 * i), list.get(2 * i + 1)));
			return fields;
		}
		return answer;
	}

	private String description() {
		return "-Dlock.test.seed=" + this.seed + '\n' + String.join("\n", this.history);
	}

}
