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

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.LuaException;
import party.iroiro.luajava.lua51.Lua51;

/**
 * Interpreter of scripts, the Lua 5.1 that Redis contains, with the conversions of Redis.
 * Compiles each script once. Thread-safe: runs one script at a time. Texts are UTF-8 in
 * Lua, except for the characters NUL and those outside of the basic plane, which have
 * more bytes than there.
 */
final class LuaInterpreter {

	private static final double MAX_EXACT = 1e17;

	private static final double TWO_TO_63 = 0x1p63;

	private final Lua lua = new Lua51();

	private final Map<String, Integer> functions = new HashMap<>();

	private final int run;

	private @Nullable Function<String[], @Nullable Object> commands;

	private LuaInterpreter() {
		this.lua.openLibraries();
		load(resource("environment.lua"), "@environment");
		this.lua.push(this::call);
		this.lua.pCall(1, 1);
		this.run = this.lua.ref();
	}

	/**
	 * Return the interpreter of all servers, which knows each script only once. To start
	 * one and to compile all scripts takes longer than many simulations.
	 */
	static LuaInterpreter shared() {
		return Shared.INSTANCE;
	}

	private static String resource(String name) {
		try (InputStream in = LuaInterpreter.class.getResourceAsStream(name)) {
			if (in == null) {
				throw new IllegalStateException(name + " is missing from the class path");
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Compile a script, unless that was done before.
	 * @throws RedisErrorReply if it is not valid
	 */
	synchronized void compile(String sha, String script) {
		if (this.functions.containsKey(sha)) {
			return;
		}
		try {
			load(script, "@user_script");
		}
		catch (LuaException ex) {
			throw new RedisErrorReply("ERR Error compiling script (new function): " + ex.getMessage());
		}
		this.functions.put(sha, this.lua.ref());
	}

	private void load(String text, String name) {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		this.lua.load(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip(), name);
	}

	/**
	 * Run a script.
	 * @param sha the digest of the compiled script
	 * @param commands runs the commands of the script
	 * @return the reply
	 * @throws RedisErrorReply if the script fails or returns an error
	 */
	synchronized @Nullable Object run(String sha, List<String> keys, List<String> args,
			Function<String[], @Nullable Object> commands) {
		if (this.commands != null) {
			throw new IllegalStateException("A script is running");
		}
		this.commands = commands;
		try {
			this.lua.refGet(this.run);
			this.lua.refGet(Objects.requireNonNull(this.functions.get(sha), "not compiled"));
			push(keys);
			push(args);
			this.lua.pCall(3, 2);
			return this.lua.toBoolean(-2) ? reply() : fail(sha);
		}
		finally {
			this.lua.setTop(0);
			this.commands = null;
		}
	}

	/**
	 * Convert the value on top of the stack to a reply, and remove it.
	 */
	private @Nullable Object reply() {
		Object reply = switch (this.lua.type(-1)) {
			case NUMBER -> integer(this.lua.toNumber(-1));
			case STRING -> this.lua.toString(-1);
			case BOOLEAN -> this.lua.toBoolean(-1) ? 1L : null;
			case TABLE -> table();
			default -> null;
		};
		this.lua.pop(1);
		return reply;
	}

	/**
	 * Convert a number as processors do, of which numbers that are too large are
	 * negative.
	 */
	private static long integer(double number) {
		return (Math.abs(number) < TWO_TO_63) ? (long) number : Long.MIN_VALUE;
	}

	private Object table() {
		String error = field("err");
		if (error != null) {
			throw new RedisErrorReply(error);
		}
		String status = field("ok");
		return (status != null) ? new RedisModel.Status(status) : list();
	}

	private List<@Nullable Object> list() {
		List<@Nullable Object> list = new ArrayList<>();
		for (int i = 1;; i++) {
			this.lua.rawGetI(-1, i);
			if (this.lua.isNil(-1)) {
				this.lua.pop(1);
				return list;
			}
			list.add(element());
		}
	}

	/**
	 * Convert an element of a list. A list may contain errors.
	 */
	private @Nullable Object element() {
		int top = this.lua.getTop();
		try {
			return reply();
		}
		catch (RedisErrorReply ex) {
			this.lua.setTop(top - 1);
			return ex;
		}
	}

	private @Nullable String field(String name) {
		this.lua.getField(-1, name);
		String text = this.lua.toString(-1);
		this.lua.pop(1);
		return text;
	}

	private Object fail(String sha) {
		String message = field("err");
		String source = field("source");
		String position = (source != null) ? " script: " + sha + ", on " + source + ':' + field("line") + '.' : "";
		throw new RedisErrorReply(message + position);
	}

	/**
	 * Run a command of a script, with its words on the stack.
	 */
	private int call(Lua lua) {
		Function<String[], @Nullable Object> commands = this.commands;
		if (commands == null) {
			throw new IllegalStateException("No script is running");
		}
		try {
			push(commands.apply(words()));
		}
		catch (RedisErrorReply ex) {
			pushError(ex);
		}
		return 1;
	}

	private String[] words() {
		String[] words = new String[this.lua.getTop()];
		if (words.length == 0) {
			throw new RedisErrorReply("ERR Please specify at least one argument for this redis lib call");
		}
		for (int i = 0; i < words.length; i++) {
			words[i] = switch (this.lua.type(i + 1)) {
				case STRING -> this.lua.toString(i + 1);
				case NUMBER -> text(this.lua.toNumber(i + 1));
				default -> throw new RedisErrorReply("ERR Lua redis lib command arguments must be strings or integers");
			};
		}
		return words;
	}

	/**
	 * Format a number with up to 17 digits.
	 */
	private static String text(double number) {
		return (number == Math.rint(number) && Math.abs(number) < MAX_EXACT) ? Long.toString((long) number)
				: new BigDecimal(number).round(new MathContext(17)).stripTrailingZeros().toString();
	}

	/**
	 * Push the reply of a command.
	 */
	private void push(@Nullable Object reply) {
		if (reply instanceof String text) {
			this.lua.push(text);
		}
		else if (reply instanceof Long number) {
			this.lua.push((Number) number.doubleValue());
		}
		else if (reply instanceof List<?> list) {
			this.lua.createTable(list.size(), 0);
			for (int i = 0; i < list.size(); i++) {
				push(list.get(i));
				this.lua.rawSetI(-2, i + 1);
			}
		}
		else if (reply instanceof RedisModel.Status status) {
			pushTable("ok", status.text());
		}
		else {
			this.lua.push(false);
		}
	}

	private void pushError(RedisErrorReply error) {
		pushTable("err", String.valueOf(error.getMessage()));
	}

	private void pushTable(String field, String text) {
		this.lua.createTable(0, 1);
		this.lua.push(text);
		this.lua.setField(-2, field);
	}

	/**
	 * Defers the start of the interpreter to its first use.
	 */
	private static final class Shared {

		private static final LuaInterpreter INSTANCE = new LuaInterpreter();

	}

}
