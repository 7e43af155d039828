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

package io.github.lockspring.simulator.cluster;

import io.github.lockspring.concurrent.LeaderElection;
import io.github.lockspring.concurrent.LeadershipListener;
import io.github.lockspring.simulator.history.PrimitiveFact.BecameLeader;
import io.github.lockspring.simulator.history.PrimitiveFact.CheckedLeader;
import io.github.lockspring.simulator.history.PrimitiveFact.StoppedLeading;

/**
 * Stands for election for a while.
 */
final class ElectionWork implements Runnable {

	private static final String NAME = "election";

	private final Worker worker;

	private final ProcessLocks process;

	ElectionWork(Worker worker, ProcessLocks process) {
		this.worker = worker;
		this.process = process;
	}

	@Override
	public void run() {
		LeaderElection election = this.process.client().leaderElection(NAME);
		Terms terms = new Terms();
		election.addListener(terms);
		election.start();
		for (int i = 4 + this.worker.random().nextInt(8); i >= 0 && !this.worker.isEnding(); i--) {
			this.worker.sleep(this.worker.settings().hold());
			this.worker.look(() -> {
				long term = terms.term;
				return (term != 0 && election.isLeader() && term == terms.term) ? new CheckedLeader(term, true) : null;
			});
		}
		election.stop();
	}

	/**
	 * Terms as leader, each with a number.
	 */
	private final class Terms implements LeadershipListener {

		private volatile long term;

		@Override
		public void onGranted(long fencingToken) {
			long term = ElectionWork.this.worker.nextOperation();
			ElectionWork.this.worker.record(new BecameLeader(term, NAME, fencingToken));
			this.term = term;
		}

		@Override
		public void onRevoked() {
			ElectionWork.this.worker.record(new StoppedLeading(this.term));
			this.term = 0;
		}

	}

}
