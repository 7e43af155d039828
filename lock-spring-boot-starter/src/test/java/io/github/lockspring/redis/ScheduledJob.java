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

package io.github.lockspring.redis;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.support.CronTrigger;

/**
 * A job on a Spring scheduler whose clock is off. Writes a line for each time that it was
 * due: the tick as the scheduler knows it, whether it ran, and how late that was decided
 * by the same clock.
 */
final class ScheduledJob implements Runnable, Trigger, AutoCloseable {

	private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

	private final CronTrigger cron;

	private final Clock clock;

	private final BooleanSupplier work;

	private volatile Instant due = Instant.EPOCH;

	/**
	 * Creates a job that does not run yet.
	 * @param cron when it is due
	 * @param clockOffset how far the clock of this process is ahead
	 * @param work does the work unless the lock is held, and tells whether it did
	 */
	ScheduledJob(String cron, Duration clockOffset, BooleanSupplier work) {
		this.cron = new CronTrigger(cron);
		this.clock = Clock.offset(Clock.systemDefaultZone(), clockOffset);
		this.work = work;
	}

	void start() {
		this.scheduler.setClock(this.clock);
		this.scheduler.setDaemon(true);
		this.scheduler.initialize();
		this.scheduler.schedule(this, this);
	}

	@Override
	public Instant nextExecution(TriggerContext context) {
		this.due = this.cron.nextExecution(context);
		return this.due;
	}

	@Override
	public void run() {
		Instant tick = this.due;
		boolean ran = this.work.getAsBoolean();
		long late = Duration.between(tick, this.clock.instant()).toMillis();
		System.out.println("tick " + tick.toEpochMilli() + " " + ran + " " + late);
	}

	@Override
	public void close() {
		this.scheduler.destroy();
	}

}
