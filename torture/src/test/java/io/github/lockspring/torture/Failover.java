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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Failovers of Redis, in which a replica takes the place of a server at a time that only
 * those servers know.
 */
final class Failover {

	private static final long INTERVAL_MILLIS = 200;

	private Failover() {
	}

	/**
	 * Return a fault in which servers fail over. Until they are ready, it may happen at
	 * any time.
	 * @param failover returns when all servers are ready again
	 */
	static Inflictor by(Consumer<Step> failover) {
		return (step, log) -> {
			long fault = log.begin(FaultKind.STOPPED, FaultLog.ALL);
			log.begin(FaultKind.FAILED_OVER, FaultLog.ALL);
			CompletableFuture<Void> end = CompletableFuture.runAsync(() -> failover.accept(step));
			while (!endsSoon(end)) {
				log.begin(FaultKind.FAILED_OVER, FaultLog.ALL);
			}
			log.begin(FaultKind.FAILED_OVER, FaultLog.ALL);
			log.end(fault);
			return true;
		};
	}

	private static boolean endsSoon(CompletableFuture<Void> end) throws InterruptedException {
		try {
			end.get(INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (TimeoutException ex) {
			return false;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
