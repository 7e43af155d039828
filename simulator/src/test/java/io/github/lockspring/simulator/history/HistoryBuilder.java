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

package io.github.lockspring.simulator.history;

import java.time.Duration;
import java.util.List;

import io.github.lockspring.simulator.history.Fact.FaultBegun;
import io.github.lockspring.simulator.history.Fact.FaultEnded;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.Fact.ProcessChanged;
import io.github.lockspring.simulator.history.LockFact.Checked;
import io.github.lockspring.simulator.history.LockFact.Granted;
import io.github.lockspring.simulator.history.LockFact.LossTold;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.history.LockFact.NotAcquired;
import io.github.lockspring.simulator.history.LockFact.ReleaseBegun;
import io.github.lockspring.simulator.history.LockFact.ReleaseEnded;
import io.github.lockspring.simulator.history.LockFact.Requested;
import io.github.lockspring.simulator.history.PrimitiveFact.BecameLeader;

/**
 * Writes histories of tests. The number of an operation tells its process: 12 is the
 * operation 2 of the process p1. Times are milliseconds.
 */
class HistoryBuilder {

	static final Bounds BOUNDS = new Bounds(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofMillis(200),
			Duration.ofMillis(200), Duration.ofMillis(100), Duration.ofMillis(500));

	private final History history = new History();

	private long time;

	HistoryBuilder at(long millis) {
		this.time = millis;
		return this;
	}

	HistoryBuilder request(long operation, String... keys) {
		return request(operation, Mode.EXCLUSIVE, LockFact.FOREVER, false, keys);
	}

	HistoryBuilder request(long operation, Mode mode, long wait, boolean fair, String... keys) {
		return fact(operation, new Requested(operation, List.of(keys), mode, 1, 1, fair,
				(wait == LockFact.FOREVER) ? wait : wait * 1_000_000));
	}

	/**
	 * Requests a lease that the process retains.
	 */
	HistoryBuilder requestRetained(long operation, String key) {
		return fact(operation, new Requested(operation, List.of(key), Mode.EXCLUSIVE, 1, 1, false, 0, LockFact.FOREVER,
				1_000_000_000));
	}

	HistoryBuilder requestPermits(long operation, String key, int permits, int limit) {
		return fact(operation,
				new Requested(operation, List.of(key), Mode.PERMITS, permits, limit, false, LockFact.FOREVER));
	}

	HistoryBuilder read(long operation, long token) {
		return request(operation, Mode.READ, LockFact.FOREVER, false, "a").grant(operation, token);
	}

	HistoryBuilder write(long operation, long token) {
		return request(operation, Mode.WRITE, LockFact.FOREVER, false, "a").grant(operation, token);
	}

	HistoryBuilder lead(long operation, long token) {
		return fact(operation, new BecameLeader(operation, "a", token));
	}

	HistoryBuilder grant(long operation, long token) {
		return fact(operation, new Granted(operation, token));
	}

	HistoryBuilder deny(long operation) {
		return fact(operation, new NotAcquired(operation));
	}

	HistoryBuilder check(long operation, boolean held) {
		return fact(operation, new Checked(operation, held, LockFact.NO_TOKEN));
	}

	HistoryBuilder release(long operation) {
		return releaseBegun(operation).fact(operation, new ReleaseEnded(operation, Outcome.DONE));
	}

	HistoryBuilder releaseBegun(long operation) {
		return fact(operation, new ReleaseBegun(operation));
	}

	HistoryBuilder lossTold(long operation) {
		return fact(operation, new LossTold(operation));
	}

	/**
	 * Appends the life of a lock that is held for 10 ms.
	 */
	HistoryBuilder lock(long operation, String key, long token) {
		return request(operation, key).grant(operation, token).at(this.time + 10).release(operation);
	}

	HistoryBuilder fault(long fault, FaultKind kind, String target) {
		return fact(0, new FaultBegun(fault, kind, target));
	}

	HistoryBuilder heal(long fault) {
		return fact(0, new FaultEnded(fault));
	}

	HistoryBuilder process(int process, ProcessChange change) {
		return fact(process * 10L, new ProcessChanged(change));
	}

	HistoryBuilder fact(long operation, Fact fact) {
		this.history.add(this.time * 1_000_000, "p" + operation / 10, "w", fact);
		return this;
	}

	History history() {
		return this.history;
	}

}
