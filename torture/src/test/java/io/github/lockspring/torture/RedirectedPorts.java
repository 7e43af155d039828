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

package io.github.lockspring.torture;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.RedisServer;

/**
 * Ports of servers that clients find by themselves, and those of the proxies through
 * which a worker reaches them.
 *
 * @param ports the port of each proxy, by that of its server
 */
record RedirectedPorts(Map<Integer, Integer> ports) {

	/**
	 * Return new proxies, one before each server.
	 */
	static List<FaultProxy> proxies(List<RedisServer> servers) {
		return servers.stream().map((server) -> new FaultProxy(server.host(), server.port())).toList();
	}

	/**
	 * Return the ports of servers, and of the proxies before them in the same order.
	 */
	static RedirectedPorts of(List<RedisServer> servers, List<FaultProxy> proxies) {
		return new RedirectedPorts(IntStream.range(0, servers.size())
			.boxed()
			.collect(Collectors.toMap((i) -> servers.get(i).port(), (i) -> proxies.get(i).port())));
	}

	/**
	 * Read what {@link #toString()} returns.
	 */
	static RedirectedPorts parse(String text) {
		return new RedirectedPorts(Arrays.stream(text.split(","))
			.map((pair) -> pair.split("="))
			.collect(Collectors.toMap((pair) -> Integer.valueOf(pair[0]), (pair) -> Integer.valueOf(pair[1]))));
	}

	@Override
	public String toString() {
		return this.ports.entrySet().stream().map(String::valueOf).collect(Collectors.joining(","));
	}

}
