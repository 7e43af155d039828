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

package io.github.lockspring.faults;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * A Spring scheduler whose clock is off. Writes a line for each time that its job was
 * due: the tick as the scheduler knows it, whether the job ran, and how late that was
 * decided by the same clock.
 */
public final class ReportingScheduler extends ThreadPoolTaskScheduler {

	private final AtomicBoolean ran = new AtomicBoolean();

	/**
	 * Creates a scheduler.
	 * @param clockOffset how far the clock of this process is ahead
	 */
	public ReportingScheduler(Duration clockOffset) {
		setClock(Clock.offset(Clock.systemDefaultZone(), clockOffset));
		setDaemon(true);
	}

	/**
	 * Notes that the job runs.
	 */
	public void running() {
		this.ran.set(true);
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
		ReportedTrigger reported = new ReportedTrigger(trigger);
		return super.schedule(() -> run(task, reported.due), reported);
	}

	private void run(Runnable task, Instant tick) {
		this.ran.set(false);
		try {
			task.run();
		}
		finally {
			long late = Duration.between(tick, getClock().instant()).toMillis();
			System.out.println("tick " + tick.toEpochMilli() + ' ' + this.ran.get() + ' ' + late);
		}
	}

	private static final class ReportedTrigger implements Trigger {

		private final Trigger trigger;

		private volatile Instant due = Instant.EPOCH;

		ReportedTrigger(Trigger trigger) {
			this.trigger = trigger;
		}

		@Override
		public Instant nextExecution(TriggerContext context) {
			this.due = this.trigger.nextExecution(context);
			return this.due;
		}

	}

}
