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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Configuration of a server as far as it weakens locks, read from its answer to
 * {@code INFO}, which can be incomplete on servers that are compatible with Redis.
 */
final class RedisSetup {

	/**
	 * First version that supports all commands of the scripts.
	 */
	private static final int[] OLDEST_VERSION = { 6, 2 };

	private final Map<String, String> facts = new HashMap<>();

	RedisSetup(String info) {
		for (String line : info.split("\r?\n")) {
			int colon = line.indexOf(':');
			if (colon > 0) {
				this.facts.put(line.substring(0, colon), line.substring(colon + 1).strip());
			}
		}
	}

	/**
	 * Return the warnings about the configuration.
	 * @param waitReplicas the number of replicas that must acknowledge a grant
	 * @return the warnings, as sentences for display
	 */
	List<String> warnings(int waitReplicas) {
		List<String> warnings = new ArrayList<>();
		String version = fact("redis_version", "");
		if (isTooOld(version)) {
			warnings.add("Redis " + version + " is too old, it must be " + OLDEST_VERSION[0] + '.' + OLDEST_VERSION[1]
					+ " or later");
		}
		String policy = fact("maxmemory_policy", "noeviction");
		if (!policy.equals("noeviction")) {
			warnings.add("Redis evicts keys when its memory is full (maxmemory-policy " + policy
					+ "): locks may be lost while they are held; set it to noeviction");
		}
		if (fact("aof_enabled", "1").equals("0")) {
			warnings.add("Redis has no append-only file (appendonly no): locks that are held are lost "
					+ "when it restarts");
		}
		warnAboutReplicas(waitReplicas, warnings);
		return warnings;
	}

	private void warnAboutReplicas(int waitReplicas, List<String> warnings) {
		int replicas = number(fact("connected_slaves", "0"));
		if (replicas < waitReplicas) {
			warnings.add("Redis has " + replicas + " replicas, but lock.redis.wait-replicas requires " + waitReplicas
					+ ": no lock can be acquired");
		}
		else if (replicas > 0 && waitReplicas == 0) {
			warnings.add("Redis has replicas whose acknowledgement is not awaited (lock.redis.wait-replicas 0): "
					+ "after a failover the latest locks may be missing");
		}
	}

	private static boolean isTooOld(String version) {
		String[] numbers = version.split("\\.");
		if (numbers.length < 2) {
			return false;
		}
		int major = number(numbers[0]);
		return major < OLDEST_VERSION[0] || (major == OLDEST_VERSION[0] && number(numbers[1]) < OLDEST_VERSION[1]);
	}

	private static int number(String text) {
		return text.matches("\\d{1,9}") ? Integer.parseInt(text) : 0;
	}

	private String fact(String name, String absent) {
		return this.facts.getOrDefault(name, absent);
	}

}
