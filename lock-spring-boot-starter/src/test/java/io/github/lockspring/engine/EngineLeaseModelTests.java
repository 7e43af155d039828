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
import java.util.concurrent.atomic.AtomicInteger;

import org.jetbrains.lincheck.Lincheck;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.Torture;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Model checks of the engine: leases that are released, lost or downgraded meanwhile.
 */
@Torture(alsoIn = { "EngineRaceTests", "LossTests", "SharedLeaseTests" })
class EngineLeaseModelTests extends EngineModel {

	@Test
	void notificationOfAGrantThatArrivesTwiceDoesNotReleaseIt() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Hold hold = process.contendedHold();
			LeaseRequest lease = hold.lease().request();
			process.start("a", hold::release);
			process.start("b", process::acquireAndRelease);
			process.start("notification", () -> {
				if (!process.backend.listener()
					.onGranted(lease, new Grant(1, Duration.ofSeconds(30)), 0, Duration.ZERO)) {
					process.backend.release(lease, Duration.ofSeconds(1));
				}
			});
			process.finish();
		});
	}

	@Test
	void leaseThatIsLostIsNotHeldAndLostOnce() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Hold hold = process.contendedHold();
			LeaseRequest lease = hold.lease().request();
			process.start("a", hold::release);
			process.start("b", process::acquireAndReleaseIfNotLost);
			process.start("notification", () -> {
				process.backend.release(lease, Duration.ofSeconds(1));
				process.backend.listener().onLost(lease);
				process.requireFree(lease);
			});
			process.finish();
		});
	}

	@Test
	void holdIsReleasedOrLostAndNotReenteredAfterLoss() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Hold hold = process.contendedHold();
			AtomicInteger releases = new AtomicInteger();
			process.start("owner", () -> {
				if (hold.countUp()) {
					releases.addAndGet(hold.release() ? 1 : 0);
				}
				releases.addAndGet(hold.release() ? 1 : 0);
			});
			process.start("loser", () -> process.backend.listener().onLost(hold.lease().request()));
			process.start("other loser", () -> process.backend.listener().onLost(hold.lease().request()));
			process.join();
			boolean lost = process.losses.get() == 1;
			require(process.losses.get() <= 1, "lost twice");
			require(hold.isEnded(), "not ended");
			require(lost || process.backend.isFree(), "neither lost nor released");
			require(!lost || releases.get() <= 1, "lost, but the last release succeeded");
			require(process.engine.size() == 0, "left in the queue");
			process.engine.close();
		});
	}

	@Test
	void noOtherAcquiresBeforeTheMinimumHoldIsOver() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			AcquireOptions options = process.options.withMinimumHold(Duration.ofSeconds(10));
			Hold hold = process.engine.acquireUninterruptibly("k", options, new Object(), 0);
			process.start("holder", () -> require(hold.release(), "lost"));
			for (String name : List.of("b", "c")) {
				process.start(name,
						() -> require(
								process.engine.acquireUninterruptibly("k", process.options, new Object(), 0) == null,
								"came in"));
			}
			process.join();
			require(process.backend.endDelays() == 1, "no delay");
			process.finish();
		});
	}

	@Test
	void ownerThatBeginsToReadWhileItEndsToWriteDowngradesOrAcquiresAnew() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Object owner = new Object();
			Hold writer = process.engine.acquireUninterruptibly("k", process.options, owner, 0);
			process.start("writer", () -> require(writer.release(), "writer lost"));
			process.start("reader", () -> process.readAndRelease(owner));
			process.start("other reader", () -> process.readAndRelease(owner));
			process.finish();
			require(process.losses.get() == 0, "lost");
		});
	}

	@Test
	void writerAndReaderThatEndAtOnceLeaveNothing() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Object owner = new Object();
			Hold writer = process.engine.acquireUninterruptibly("k", process.options, owner, 0);
			Hold reader = process.engine.acquireUninterruptibly("k", process.shared, owner, 0);
			process.start("writer", () -> require(writer.release(), "writer lost"));
			process.start("reader", () -> require(reader.release(), "reader lost"));
			process.start("b", () -> {
				Hold hold = process.engine.acquireUninterruptibly("k", process.options, new Object(), 0);
				require(hold == null || hold.release(), "lost");
			});
			process.finish();
			require(process.losses.get() == 0, "lost");
		});
	}

	@Test
	void readersShareALeaseUntilTheLastOneEnds() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Hold first = process.engine.acquireUninterruptibly("k", process.shared, new Object(), 0);
			process.start("first", () -> require(first.release(), "lost"));
			process.start("b", process::shareAndRelease);
			process.start("c", process::shareAndRelease);
			process.finish();
			require(process.losses.get() == 0, "lost");
		});
	}

	@Test
	void readersThatShareALeaseExcludeAWriter() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			process.start("a", process::shareAndRelease);
			process.start("b", process::shareAndRelease);
			process.start("writer", process::acquireAndRelease);
			process.finish();
			require(process.losses.get() == 0, "lost");
		});
	}

	@Test
	void sharedLeaseThatIsLostIsHeldByNoReader() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Hold first = process.engine.acquireUninterruptibly("k", process.shared, new Object(), 0);
			LeaseRequest lease = first.lease().request();
			process.holds.add(first);
			process.start("first", first::release);
			process.start("b", () -> {
				Hold hold = process.engine.acquireUninterruptibly("k", process.shared, new Object(), 0);
				if (hold != null) {
					synchronized (process.holds) {
						process.holds.add(hold);
					}
					hold.release();
				}
			});
			process.start("notification", () -> {
				if (process.backend.release(lease, Duration.ofSeconds(1))) {
					process.backend.listener().onLost(lease);
					process.requireFree(lease);
				}
			});
			process.join();
			require(process.losses.get() <= 2, "lost twice");
			require(process.engine.size() == 0, "left in the queue");
			require(process.backend.isFree(), "left in the store");
			process.engine.close();
		});
	}

	@Test
	void readerWhoseLeaseIsLostWhileTheWriterDowngradesIsNotHeld() {
		Lincheck.runConcurrentTest(ORDERS, () -> {
			Process process = new Process();
			Object owner = new Object();
			Hold writer = process.engine.acquireUninterruptibly("k", process.options, owner, 0);
			Hold reader = process.engine.acquireUninterruptibly("k", process.shared, owner, 0);
			LeaseRequest lease = writer.lease().request();
			process.holds.addAll(List.of(writer, reader));
			process.start("writer", writer::release);
			process.start("reader", reader::release);
			process.start("notification", () -> {
				if (process.backend.release(lease, Duration.ofSeconds(1))) {
					process.backend.listener().onLost(lease);
					process.requireFree(lease);
				}
			});
			process.join();
			require(process.losses.get() <= 2, "lost twice");
			require(process.engine.size() == 0, "left in the queue");
			require(process.backend.isFree(), "left in the store");
			process.engine.close();
		});
	}

}
