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

package io.github.lockspring.sample.printer;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.springframework.stereotype.Service;

import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.sample.fault.HolderPause;
import io.github.lockspring.sample.timeline.Access;
import io.github.lockspring.sample.timeline.Timeline;

/**
 * Prints documents of offices. Of each office, no more than {@value #PERMITS} should be
 * in print at once, in all instances together.
 */
@Service
public class PrinterService {

	/**
	 * The number of documents that can be printed at once.
	 */
	public static final int PERMITS = 2;

	private static final Duration PRINT_TIME = Duration.ofMillis(5);

	private final Timeline timeline;

	private final HolderPause pause;

	public PrinterService(Timeline timeline, HolderPause pause) {
		this.timeline = timeline;
		this.pause = pause;
	}

	/**
	 * No lock: as many documents at once as there are requests.
	 */
	public void print(long office) {
		inSection(office, this::feed);
	}

	/**
	 * Each document acquires a permit and releases it when it is printed. A document
	 * whose permit was lost meanwhile, because this process was paused for longer than
	 * its lease, counts as failed.
	 */
	@DistributedSemaphore(name = "printer", key = "#office", permits = "" + PERMITS, waitTime = "30s", leaseTime = "5s")
	public void printWithPermit(long office) {
		LockHandle permit = LockContext.current();
		inSection(office, () -> {
			feed();
			permit.checkpoint();
		});
	}

	private void inSection(long office, Runnable section) {
		this.timeline.record("printer:" + office, Access.PERMIT, () -> {
			section.run();
			return null;
		});
	}

	private void feed() {
		this.pause.here();
		LockSupport.parkNanos(PRINT_TIME.toNanos());
	}

}
