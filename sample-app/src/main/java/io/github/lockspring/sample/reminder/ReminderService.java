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
import java.util.function.IntSupplier;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.OnFailure;
import io.github.lockspring.sample.fault.HolderPause;
import io.github.lockspring.sample.timeline.Access;
import io.github.lockspring.sample.timeline.Timeline;

/**
 * Sends the text message of an hour. What is sent cannot be taken back, and the phone of
 * the customer does not compare fencing tokens.
 */
@Service
public class ReminderService {

	private final JdbcClient jdbc;

	private final Timeline timeline;

	private final HolderPause pause;

	private final String instance;

	public ReminderService(JdbcClient jdbc, Timeline timeline, HolderPause pause,
			@Value("${sample.instance}") String instance) {
		this.jdbc = jdbc;
		this.timeline = timeline;
		this.pause = pause;
		this.instance = instance;
	}

	/**
	 * Begins anew: forgets the messages to a customer.
	 */
	public void reset(long customer) {
		this.jdbc.sql("DELETE FROM reminder WHERE customer_id = :customer").param("customer", customer).update();
	}

	/**
	 * No lock: one message from each instance.
	 */
	public void send(long customer, long hour) {
		inSection(customer, () -> {
			this.pause.here();
			return write(customer, hour);
		});
	}

	/**
	 * One message, from the instance that comes first. The lock is kept when the message
	 * has long been sent, so that an instance whose clock is a little late does not send
	 * another one. If this process was paused for longer than its lease, it does not
	 * send.
	 */
	@DistributedLock(name = "reminder", key = "#customer", waitTime = "0s", leaseTime = "1500ms",
			lockAtLeastFor = "${sample.reminder.lock-at-least-for}", onFailure = OnFailure.SKIP)
	public void sendWithLock(long customer, long hour) {
		LockHandle lock = LockContext.current();
		inSection(customer, () -> {
			this.pause.here();
			lock.checkpoint();
			return write(customer, hour);
		});
	}

	/**
	 * Counts the messages to a customer of each hour.
	 * @return the hours in which there was one, in their order
	 */
	public List<Hour> hours(long customer) {
		return this.jdbc.sql("""
				SELECT at_hour, COUNT(*) FROM reminder WHERE customer_id = :customer
				GROUP BY at_hour ORDER BY at_hour""")
			.param("customer", customer)
			.query((rs, row) -> new Hour(rs.getLong(1), rs.getInt(2)))
			.list();
	}

	private void inSection(long customer, IntSupplier section) {
		this.timeline.record("reminder:" + customer, Access.EXCLUSIVE, section::getAsInt);
	}

	private int write(long customer, long hour) {
		return this.jdbc
			.sql("INSERT INTO reminder (customer_id, at_hour, instance) VALUES (:customer, :hour, :instance)")
			.param("customer", customer)
			.param("hour", hour)
			.param("instance", this.instance)
			.update();
	}

	/**
	 * An hour and its messages.
	 *
	 * @param hour the number of the hour
	 * @param count how many messages were sent
	 */
	public record Hour(long hour, int count) {

	}

}
