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

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.Torture;

/**
 * Model checks of the engine: those who wait for their turn.
 */
@Torture(alsoIn = { "EngineRaceTests", "TimeoutTests", "DowngradeRaceTests" })
class EngineModelTests extends EngineModel {

	@Test
	void waitersGetTheirTurnOneByOne() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			process.start("a", process::acquireAndRelease);
			process.start("b", process::acquireAndRelease);
			process.start("c", process::acquireAndRelease);
			process.finish();
		});
	}

	@Test
	void waiterWhoseTimeIsOverTakesNothingAndLeavesNothing() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			process.start("a", process::acquireAndRelease);
			process.start("b", process::acquireAndRelease);
			process.start("hurried", () -> {
				process.time.advanceWithReadings();
				process.acquireAndRelease();
			});
			process.finish();
		});
	}

	@Test
	void interruptedWaiterTakesNothingAndLeavesNothing() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			process.start("a", process::acquireAndRelease);
			Thread interrupted = process.start("b", process::acquireAndRelease);
			process.start("c", process::acquireAndRelease);
			interrupted.interrupt();
			process.finish();
		});
	}

	@Test
	void waiterWithoutThreadGetsItsTurnAmongOthers() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			process.start("a", process::acquireAndRelease);
			process.start("b", process::acquireAndReleaseAsync);
			process.start("c", process::acquireAndReleaseAsync);
			process.finish();
			require(process.entered == 3, "a thread waits for ever");
		});
	}

	@Test
	void cancelledWaiterWithoutThreadTakesNothingAndLeavesNothing() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Hold hold = process.contendedHold();
			CompletableFuture<Hold> future = process.engine.acquireAsync("k", process.options, new Object(), 1);
			process.start("a", hold::release);
			process.start("b", process::acquireAndRelease);
			process.start("cancelling", () -> {
				if (!future.cancel(false)) {
					require(future.join().release(), "lost");
				}
			});
			process.finish();
		});
	}

	@Test
	void oneOfThoseWhoTryOnceSucceeds() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			for (String name : List.of("a", "b", "c")) {
				process.start(name, () -> {
					Hold hold = process.engine.acquireUninterruptibly("k", process.options, new Object(), 0);
					if (hold != null) {
						process.enter(hold);
						require(hold.release(), "lost");
					}
				});
			}
			process.finish();
			require(process.lastToken > 0, "none succeeded");
		});
	}

}
