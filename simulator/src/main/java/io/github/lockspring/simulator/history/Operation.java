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

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.LockFact.Change;
import io.github.lockspring.simulator.history.LockFact.ChangeBegun;
import io.github.lockspring.simulator.history.LockFact.Checked;
import io.github.lockspring.simulator.history.LockFact.Granted;
import io.github.lockspring.simulator.history.LockFact.LossTold;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.history.LockFact.Queued;
import io.github.lockspring.simulator.history.LockFact.Reentered;
import io.github.lockspring.simulator.history.LockFact.ReleaseBegun;
import io.github.lockspring.simulator.history.LockFact.ReleaseEnded;
import io.github.lockspring.simulator.history.LockFact.Requested;

/**
 * Life of one acquisition: the lines of its events, -1 for what has not happened.
 */
final class Operation {

	final Requested request;

	final String process;

	final String worker;

	final int requested;

	int queued = -1;

	/**
	 * End of the acquisition, whatever it was.
	 */
	int answered = -1;

	int granted = -1;

	int releaseBegun = -1;

	int releaseEnded = -1;

	int lossTold = -1;

	int lossToldAgain = -1;

	/**
	 * First event that says that the lock is held after its end.
	 */
	int heldAfterEnd = -1;

	/**
	 * First look that found the lock not held before its end began, unless a later one
	 * found it held: a suspended lock may come back.
	 */
	int notHeld = -1;

	/**
	 * Last event that shows that the claim was valid, not after its end began.
	 */
	int lastHeld = -1;

	long token;

	@Nullable Outcome release;

	private final List<Integer> weakenings = new ArrayList<>();

	private final List<ChangeBegun> changes = new ArrayList<>();

	Operation(Requested request, Event event, int line) {
		this.request = request;
		this.process = event.process();
		this.worker = event.worker();
		this.requested = line;
	}

	long id() {
		return this.request.operation();
	}

	void add(LockFact fact, int line) {
		if (fact instanceof Queued) {
			this.queued = line;
		}
		else if (fact instanceof Granted grant) {
			this.token = grant.token();
			this.granted = line;
			this.answered = line;
			this.lastHeld = line;
		}
		else if (fact instanceof ReleaseBegun) {
			this.releaseBegun = line;
		}
		else if (fact instanceof ReleaseEnded ended) {
			endRelease(ended.outcome(), line);
		}
		else if (fact instanceof LossTold) {
			this.lossToldAgain = (this.lossTold >= 0) ? line : -1;
			this.lossTold = (this.lossTold >= 0) ? this.lossTold : line;
		}
		else if (this.granted < 0) {
			this.answered = line;
		}
		else {
			addToClaim(fact, line);
		}
	}

	private void addToClaim(LockFact fact, int line) {
		if (fact instanceof Reentered || (fact instanceof Checked check && check.held())) {
			if (!isEnding()) {
				this.lastHeld = line;
				this.notHeld = -1;
			}
			else if (this.heldAfterEnd < 0 && (this.lossTold >= 0 || this.releaseEnded >= 0)) {
				this.heldAfterEnd = line;
			}
		}
		else if (fact instanceof Checked && !isEnding() && this.notHeld < 0) {
			this.notHeld = line;
		}
		if (fact instanceof ChangeBegun change && change.change() != Change.EXTENSION) {
			this.weakenings.add(line);
			this.changes.add(change);
		}
	}

	/**
	 * What the store confirms to have released was in the store until then.
	 */
	private void endRelease(Outcome outcome, int line) {
		this.releaseEnded = line;
		this.release = outcome;
		if (outcome == Outcome.DONE && this.lossTold < 0) {
			this.lastHeld = this.releaseBegun;
		}
	}

	/**
	 * Return the line at which the end of the claim began, or {@link Integer#MAX_VALUE}.
	 */
	int endBegun() {
		int release = (this.releaseBegun >= 0) ? this.releaseBegun : Integer.MAX_VALUE;
		return (this.lossTold >= 0) ? Math.min(release, this.lossTold) : release;
	}

	/**
	 * Return the line at which the downgrade began, -1 if none did.
	 */
	int downgraded() {
		for (int i = 0; i < this.changes.size(); i++) {
			if (this.changes.get(i).change() == Change.DOWNGRADE) {
				return this.weakenings.get(i);
			}
		}
		return -1;
	}

	boolean isElection() {
		return this.request.keys().get(0).startsWith(IndexedHistory.ELECTION);
	}

	/**
	 * Return the line at which the operation neither waits nor holds any more, -1 if it
	 * still does.
	 */
	int end() {
		return (this.granted < 0) ? this.answered : Math.max(this.releaseEnded, this.lossTold);
	}

	boolean isEnding() {
		return this.releaseBegun >= 0 || this.lossTold >= 0;
	}

	/**
	 * Return the parts of the valid claim, each with its right: from the grant to the
	 * last event that shows it, and weaker from the begin of each change that weakens it.
	 */
	List<Claim> claims() {
		List<Claim> claims = new ArrayList<>();
		Mode mode = this.request.mode();
		int permits = this.request.permits();
		int from = this.granted;
		for (int i = 0; i < this.weakenings.size() && this.weakenings.get(i) < this.lastHeld; i++) {
			claims.add(new Claim(this, from, this.weakenings.get(i), mode, permits));
			from = this.weakenings.get(i);
			mode = (this.changes.get(i).change() == Change.DOWNGRADE) ? Mode.READ : mode;
			permits -= (mode == Mode.PERMITS) ? (int) this.changes.get(i).amount() : 0;
		}
		claims.add(new Claim(this, from, this.lastHeld, mode, permits));
		return claims;
	}

	@Override
	public String toString() {
		return "operation " + id() + " of " + this.process + " " + this.worker;
	}

	/**
	 * A right to the keys of an operation between two lines.
	 */
	record Claim(Operation operation, int from, int to, Mode mode, int permits) {
	}

}
