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

package io.github.lockspring.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.Torture;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Permits that are handed off while a leader waits for those of the store, in all orders
 * that the checker finds.
 */
class EnginePermitModelTests extends EngineModel {

	@Test
	void permitsThatAreHandedOffStayWithinTheLimit() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			List<Hold> holds = process.contendedPermits();
			CompletableFuture<Hold> leader = process.acquirePermit();
			process.start("a", () -> require(process.endPermit(holds.get(0)), "lost"));
			process.start("b", process::acquireAndReleasePermit);
			process.start("c", process::acquireAndReleasePermit);
			process.join();
			require(process.endPermit(holds.get(1)), "lost");
			process.leaveOrRelease(leader);
			process.finish();
			require(process.losses.get() == 0, "lost");
		});
	}

	@Test
	@Torture(alsoIn = { "PermitLedgerRaceTests", "PermitHandOffTests" })
	void waiterThatIsCancelledDuringTheHandOffLeavesNothing() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			List<Hold> holds = process.contendedPermits();
			CompletableFuture<Hold> leader = process.acquirePermit();
			CompletableFuture<Hold> next = process.acquirePermit();
			process.start("a", () -> require(process.endPermit(holds.get(0)), "lost"));
			process.start("b", () -> require(process.endPermit(holds.get(1)), "lost"));
			process.start("cancelling", () -> process.leaveOrRelease(next));
			process.join();
			process.leaveOrRelease(leader);
			process.finish();
			require(process.losses.get() == 0, "lost");
		});
	}

	@Test
	@Torture(alsoIn = { "PermitLedgerRaceTests", "PermitHandOffTests" })
	void leaderThatIsCancelledDuringTheHandOffLeavesNothing() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			List<Hold> holds = process.contendedPermits();
			CompletableFuture<Hold> leader = process.acquirePermit();
			CompletableFuture<Hold> next = process.acquirePermit();
			process.start("a", () -> require(process.endPermit(holds.get(0)), "lost"));
			process.start("cancelling", () -> process.leaveOrRelease(leader));
			process.start("b", process::acquireAndReleasePermit);
			process.join();
			process.leaveOrRelease(next);
			require(process.endPermit(holds.get(1)), "lost");
			process.finish();
			require(process.losses.get() == 0, "lost");
		});
	}

	@Test
	void permitThatIsLostDuringTheHandOffIsNotHeld() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			List<Hold> holds = process.contendedPermits();
			LeaseRequest lease = holds.get(0).lease().request();
			CompletableFuture<Hold> leader = process.acquirePermit();
			CompletableFuture<Hold> next = process.acquirePermit();
			process.start("a", () -> holds.get(0).release());
			process.start("notification", () -> {
				if (process.backend.release(lease, Duration.ofSeconds(1))) {
					process.backend.listener().onLost(lease);
					Hold handedOff = next.getNow(null);
					require(handedOff == null || !handedOff.lease().request().equals(lease) || !handedOff.isHeld(),
							"held although lost");
				}
			});
			process.join();
			process.leaveOrEnd(next);
			process.leaveOrEnd(leader);
			require(process.endPermit(holds.get(1)), "other lost");
			process.finish();
		});
	}

}
