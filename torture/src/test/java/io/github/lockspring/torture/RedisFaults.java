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

import java.util.Map;
import java.util.function.Function;

import io.github.lockspring.server.RedisServer;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Faults of a Redis server whose process goes on.
 */
final class RedisFaults {

	private RedisFaults() {
	}

	/**
	 * Return the faults.
	 * @param server returns the server to which a fault happens
	 */
	static Map<TortureFault, Inflictor> of(Function<Step, RedisServer> server) {
		return Map.of(TortureFault.CLIENTS_KILLED, (step, log) -> killClients(step, log, server.apply(step)),
				TortureFault.SCRIPTS_FLUSHED, (step, log) -> flushScripts(server.apply(step)),
				TortureFault.OUT_OF_MEMORY, (step, log) -> exhaustMemory(step, log, server.apply(step)));
	}

	/**
	 * Cut the connections with subscriptions, or the others.
	 */
	private static boolean killClients(Step step, FaultLog log, RedisServer server) {
		if (step.duration() % 2 == 0) {
			log.begin(FaultKind.NOTIFICATION_LOST, FaultLog.ALL);
			if (server.killClients("pubsub") > 0) {
				return true;
			}
		}
		log.begin(FaultKind.REPLY_LOST, FaultLog.ALL);
		return server.killClients("normal") > 0;
	}

	private static boolean flushScripts(RedisServer server) {
		server.flushScripts();
		return true;
	}

	private static boolean exhaustMemory(Step step, FaultLog log, RedisServer server) throws InterruptedException {
		return ServerFaults.lasting(FaultKind.STOPPED, () -> limitMemory(server, "1"), () -> limitMemory(server, "0"))
			.inflict(step, log);
	}

	private static void limitMemory(RedisServer server, String bytes) {
		server.command("CONFIG", "SET", "maxmemory", bytes);
	}

}
