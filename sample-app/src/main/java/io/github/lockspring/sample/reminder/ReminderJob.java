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

package io.github.lockspring.sample.reminder;

import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import io.github.lockspring.sample.stock.Strategy;

/**
 * The hourly job of this instance. It sends only while it is switched on. Thread-safe.
 */
@Component
public class ReminderJob {

	private final ReminderService reminders;

	private final SpedUpHour hour;

	/**
	 * What to do, {@code null} while the job is switched off.
	 */
	private volatile @Nullable Task task;

	public ReminderJob(ReminderService reminders, SpedUpHour hour) {
		this.reminders = reminders;
		this.hour = hour;
	}

	/**
	 * Send a message at each hour from now on.
	 * @param strategy whether to lock
	 * @param customer who gets the messages
	 */
	public void switchOn(Strategy strategy, long customer) {
		this.task = new Task(strategy.isLocked(), customer);
	}

	/**
	 * Send no more messages.
	 */
	public void switchOff() {
		this.task = null;
	}

	@Scheduled(cron = "#{@spedUpHour.cron()}")
	void everyHour() {
		Task task = this.task;
		if (task != null) {
			send(task, this.hour.numberAt(Instant.now()));
		}
	}

	private void send(Task task, long hour) {
		if (task.locked()) {
			this.reminders.sendWithLock(task.customer(), hour);
		}
		else {
			this.reminders.send(task.customer(), hour);
		}
	}

	private record Task(boolean locked, long customer) {
	}

}
