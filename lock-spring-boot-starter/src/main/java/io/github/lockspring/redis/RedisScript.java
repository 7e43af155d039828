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

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lua script of this package, and its digest. A line {@code #include file} is replaced by
 * that file.
 * <p>
 * In the text for calls with a single key, the key of each command is {@code KEYS[1]}:
 * some services check the text, and reject scripts with keys in variables.
 */
enum RedisScript {

	ACQUIRE("acquire.lua"), RELEASE("release.lua"), RELEASE_WITH_DELAY("release-with-delay.lua"), RENEW("renew.lua"),
	POLL("poll.lua"), DECLINE_RECALL("decline-recall.lua"), DOWNGRADE("downgrade.lua"), INSPECT("inspect.lua"),
	INSPECT_QUEUE("inspect-queue.lua"), FORCE_RELEASE("force-release.lua"), PROBE("probe.lua"),
	UPDATE_VALUE("update-value.lua"), READ_VALUES("read-values.lua");

	private final Source source;

	private final Source singleKeySource;

	RedisScript(String file) {
		String text = text(file);
		this.source = Source.of(text);
		this.singleKeySource = Source.withSingleKey(text);
	}

	private static String text(String file) {
		return Pattern.compile("(?m)^#include (\\S+)$").matcher(read(file)).replaceAll(RedisScript::included);
	}

	private static String included(MatchResult include) {
		return Matcher.quoteReplacement(text(include.group(1)));
	}

	private static String read(String file) {
		try (InputStream in = RedisScript.class.getResourceAsStream(file)) {
			if (in == null) {
				throw new IllegalStateException("The script " + file + " is missing from the class path");
			}
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return whether the script derives fencing tokens or versions from the clock: it may
	 * grant a lease, to its owner or to a contender, or change a value.
	 */
	boolean takesTime() {
		return this == ACQUIRE || this == RELEASE || this == RELEASE_WITH_DELAY || this == FORCE_RELEASE || this == POLL
				|| this == DOWNGRADE || this == UPDATE_VALUE;
	}

	private Source source(int keys) {
		return (keys == 1) ? this.singleKeySource : this.source;
	}

	/**
	 * Return the source of the script.
	 * @param keys the number of keys of a call
	 */
	byte[] text(int keys) {
		return source(keys).text;
	}

	/**
	 * Return the digest, by which a server that has the script runs it.
	 * @param keys the number of keys of a call
	 */
	byte[] sha(int keys) {
		return source(keys).sha;
	}

	/**
	 * Return whether the script renews leases, and must not wait for other calls.
	 */
	boolean isRenewal() {
		return this == RENEW;
	}

	/**
	 * Text of a script, and its digest.
	 *
	 * @param text the text
	 * @param sha the digest in hexadecimal digits
	 */
	@SuppressWarnings("ArrayRecordComponent") // never compared
	private record Source(byte[] text, byte[] sha) {

		/**
		 * Beginning of a command whose key is a variable.
		 */
		private static final Pattern VARIABLE_KEY = Pattern
			.compile("(redis\\.p?call\\('(?!PUBLISH)[A-Z]+', )(?!KEYS\\[\\d+])[\\w.]+");

		static Source withSingleKey(String script) {
			return of(VARIABLE_KEY.matcher(script).replaceAll("$1KEYS[1]"));
		}

		static Source of(String script) {
			byte[] text = script.getBytes(StandardCharsets.UTF_8);
			return new Source(text, HexFormat.of().formatHex(sha1(text)).getBytes(StandardCharsets.US_ASCII));
		}

		private static byte[] sha1(byte[] text) {
			try {
				return MessageDigest.getInstance("SHA-1").digest(text);
			}
			catch (NoSuchAlgorithmException ex) {
				throw new IllegalStateException(ex); // every Java platform has it
			}
		}

	}

}
