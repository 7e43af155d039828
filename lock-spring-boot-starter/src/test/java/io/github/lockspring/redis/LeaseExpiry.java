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
import java.util.function.Function;

import io.github.lockspring.spi.LeaseRequest;

/**
 * Ends leases at once by writing into the server that their time is over.
 */
public final class LeaseExpiry {

	private static final String SCRIPT = """
			local record = redis.call('HGET', KEYS[1], 'state')
			if record then
				local owner = string.gsub(ARGV[1], '-', '%%-')
				record = string.gsub(record, '^(1 [xr] ' .. owner .. '@?[^%s!]*) %d+ %d+', '%1 1 0')
				record = string.gsub(record, '^(1 [sp] %S+) %d+ %d+', '%1 1 0')
				redis.call('HSET', KEYS[1], 'state', record)
				redis.call('PEXPIRE', KEYS[1], 60000)
			end
			for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
				if field == ARGV[1] or string.sub(field, 1, #ARGV[1] + 1) == ARGV[1] .. '@' then
					local details = redis.call('HGET', KEYS[1], field)
					redis.call('HSET', KEYS[1], field, (string.gsub(details, '^(h %d+) %d+', '%1 1')))
				end
			end
			return 1""";

	private LeaseExpiry() {
	}

	/**
	 * Ends a lease.
	 * @param lease the request that was granted
	 * @param server sends a command
	 */
	public static void expire(LeaseRequest lease, Function<String[], ?> server) {
		for (String key : lease.keys()) {
			String state = new String(RedisKeys.of(key), StandardCharsets.UTF_8);
			server.apply(new String[] { "EVAL", SCRIPT, "1", state, lease.owner().toString() });
		}
	}

}
