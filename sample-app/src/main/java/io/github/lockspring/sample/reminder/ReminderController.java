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

import java.util.List;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockspring.sample.stock.Strategy;

/**
 * The reminders over HTTP, each for one customer. The job is switched in this instance
 * only; the messages are those of all instances.
 */
@RestController
@RequestMapping("/reminders")
class ReminderController {

	private final ReminderJob job;

	private final ReminderService reminders;

	ReminderController(ReminderJob job, ReminderService reminders) {
		this.job = job;
		this.reminders = reminders;
	}

	/**
	 * Shows how many messages were sent, and in which hours.
	 */
	@GetMapping
	Reminders show(@RequestParam(defaultValue = "1") long customer) {
		List<ReminderService.Hour> hours = this.reminders.hours(customer);
		return new Reminders(hours.stream().mapToInt(ReminderService.Hour::count).sum(), hours);
	}

	/**
	 * Switches the job of this instance on.
	 */
	@PutMapping
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void switchOn(@RequestParam Strategy strategy, @RequestParam(defaultValue = "1") long customer) {
		this.job.switchOn(strategy, customer);
	}

	/**
	 * Switches the job of this instance off.
	 */
	@DeleteMapping
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void switchOff() {
		this.job.switchOff();
	}

	/**
	 * Begins anew: forgets the messages to a customer.
	 */
	@PostMapping("/reset")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void reset(@RequestParam(defaultValue = "1") long customer) {
		this.reminders.reset(customer);
	}

	/**
	 * The messages as they are shown.
	 *
	 * @param messages how many were sent
	 * @param hours the hours in which there was one
	 */
	record Reminders(int messages, List<ReminderService.Hour> hours) {

	}

}
