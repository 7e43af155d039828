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
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.ProcessName;

/**
 * Encoding of owners and holders in the scripts. The text of an owner is that of its id,
 * followed by {@code @} and the name of its process if it is known, and by an exclamation
 * mark once it has released the key with a delay.
 */
final class RedisOwners {

	/**
	 * Second word of the message that a holder has lost a key, which follows.
	 */
	static final String LOST = "lost";

	/**
	 * Second word of the message that the lease of an owner is recalled. The name of the
	 * Redis key follows.
	 */
	static final String RECALL = "recall";

	private static final char PROCESS = '@';

	private static final String FORMER = "!";

	private RedisOwners() {
	}

	/**
	 * Return the suffix that is appended to the id of an owner.
	 */
	static String suffix(ProcessName process) {
		return PROCESS + process.toString();
	}

	/**
	 * Return the name of the channel of a process.
	 */
	static String channelOf(String instance) {
		return "lock:" + instance;
	}

	/**
	 * Return the text of the owner from which a holder was parsed.
	 */
	static String ownerOf(LeaseHolder holder) {
		String id = idWithoutMark(holder);
		ProcessName process = holder.process();
		return id + ((process != null) ? suffix(process) : "") + holder.owner().substring(id.length());
	}

	private static String idWithoutMark(LeaseHolder holder) {
		String id = holder.owner();
		return id.endsWith(FORMER) ? id.substring(0, id.length() - 1) : id;
	}

	/**
	 * Return the name of the channel of the process of a holder.
	 */
	static String channelOf(LeaseHolder holder) {
		return channelOf(OwnerId.parse(idWithoutMark(holder)).instance());
	}

	/**
	 * Return the message that a holder has lost a key.
	 */
	static String lossOf(LeaseHolder holder, String key) {
		return idWithoutMark(holder) + ' ' + LOST + ' ' + key;
	}

	/**
	 * Return a request to which that of an owner is equal, or {@code null} if the text is
	 * not that of an owner.
	 */
	static @Nullable LeaseRequest requestOf(String owner) {
		try {
			return lease(owner, "");
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * Return a request that identifies the lease of an owner.
	 */
	static LeaseRequest lease(String owner, String key) {
		LeaseTerms terms = new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ZERO, 1); // unknown
		return new LeaseRequest(List.of(key), terms, OwnerId.parse(idOf(owner)));
	}

	/**
	 * Parse a holder in an answer of the script that inspects a key.
	 */
	static LeaseHolder holder(String text) {
		String[] words = text.split(" ");
		LeaseMode mode = switch (words[1]) {
			case "s" -> LeaseMode.SHARED;
			case "p" ->
				new LeaseMode.Permits(Integer.parseInt(words[2]), Integer.parseInt(words[3]), Long.parseLong(words[6]));
			default -> LeaseMode.EXCLUSIVE;
		};
		return new LeaseHolder(idOf(words[0]), processOf(words[0]), mode, Long.parseLong(words[4]),
				Duration.ofMillis(Long.parseLong(words[5])));
	}

	/**
	 * Parse a waiting owner.
	 */
	static LeaseWaiter waiter(String text) {
		return new LeaseWaiter(idOf(text), processOf(text));
	}

	/**
	 * Return the id of an owner, with the mark if it has released the key with a delay.
	 */
	static String idOf(String owner) {
		int end = owner.indexOf(PROCESS);
		return (end >= 0) ? owner.substring(0, end) + (owner.endsWith(FORMER) ? FORMER : "") : owner;
	}

	private static @Nullable ProcessName processOf(String owner) {
		int end = owner.endsWith(FORMER) ? owner.length() - 1 : owner.length();
		return ProcessName.parse(owner.substring(owner.indexOf(PROCESS) + 1, end));
	}

}
