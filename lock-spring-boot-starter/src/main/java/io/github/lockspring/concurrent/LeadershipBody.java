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

package io.github.lockspring.concurrent;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Code that the current thread runs while this process is the leader: interrupted if the
 * leadership is revoked, and awaited for a moment then, so that no other process is
 * elected before it has ended.
 */
final class LeadershipBody implements LeadershipListener {

	private final Thread thread = Thread.currentThread();

	private final CountDownLatch ended = new CountDownLatch(1);

	private boolean interrupted;

	boolean isInCurrentThread() {
		return this.thread == Thread.currentThread() && this.ended.getCount() > 0;
	}

	@Override
	public void onRevoked() {
		interruptUnlessEnded();
		try {
			this.ended.await(LeadershipTerm.LISTENER_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized void interruptUnlessEnded() {
		if (this.ended.getCount() > 0) {
			this.interrupted = true;
			this.thread.interrupt();
		}
	}

	/**
	 * Mark the code as ended, which is not interrupted from now on.
	 */
	synchronized void end() {
		this.ended.countDown();
		if (this.interrupted) {
			Thread.interrupted(); // meant for the code
		}
	}

}
