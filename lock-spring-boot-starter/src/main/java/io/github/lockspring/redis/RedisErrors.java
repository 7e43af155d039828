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

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.OutcomeUnknownException;

/**
 * Translation of Redis errors to exceptions. The outcome is known for errors by which a
 * server rejects something. That of other errors is not, because a script may have
 * written before it fails.
 */
final class RedisErrors {

	private static final Set<String> REJECTIONS = Set.of("LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED",
			"ASK", "CROSSSLOT", "READONLY", "OOM", "MISCONF", "NOREPLICAS", "NOAUTH", "NOPERM", "WRONGPASS", "BUSY",
			"WRONGTYPE", "FOREIGN");

	/**
	 * Maximum number of words before the code in a message: Redis 6 writes the name of
	 * the script and the line, twice, before it.
	 */
	private static final int MAX_WORDS = 20;

	/**
	 * Parts of the messages without a code of their own: for a script without permission
	 * for a command or a key, before and since Redis 7.2, and for one that does not run.
	 */
	private static final List<String> REJECTION_TEXTS = List.of("The user executing the script can't",
			"ACL failure in script", "unknown command", "bad lua script", "keys must be in same slot",
			"Error compiling script", "Script killed by user");

	private RedisErrors() {
	}

	/**
	 * Translate an error returned by a server.
	 * @param message the error message
	 * @param cause the exception of the client library
	 * @return the failure, or {@code null} if the server does not have the script
	 */
	static @Nullable BackendException of(@Nullable String message, Throwable cause) {
		String text = (message != null) ? message.strip() : "error";
		String code = code(text);
		if (code.equals("NOSCRIPT")) {
			return null;
		}
		if (code.equals("WRONGTYPE") || code.equals("FOREIGN")) {
			return new BackendUnavailableException(
					"A Redis key needed for locks holds foreign data, which is left untouched: " + text, cause);
		}
		return (REJECTIONS.contains(code) || REJECTION_TEXTS.stream().anyMatch(text::contains))
				? new BackendUnavailableException("Redis rejected the command: " + text, cause)
				: new OutcomeUnknownException("Redis failed: " + text, cause);
	}

	/**
	 * Return the code of an error. Versions report errors in a script in different forms,
	 * which contain the code of the error of the command.
	 */
	private static String code(String text) {
		for (String word : text.split("[ :-]+", MAX_WORDS)) {
			if (word.equals("NOSCRIPT") || REJECTIONS.contains(word)) {
				return word;
			}
		}
		return "";
	}

	/**
	 * Return whether a server accepts writes, by the first word of its reply to
	 * {@code ROLE}.
	 */
	static boolean isPrimary(String role) {
		return !role.equals("slave");
	}

	static boolean isOutdatedPrimary(@Nullable String message) {
		return message != null && message.contains("READONLY");
	}

}
