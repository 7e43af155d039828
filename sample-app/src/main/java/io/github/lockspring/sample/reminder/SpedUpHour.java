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

import java.time.Duration;
import java.time.Instant;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.util.Assert;

/**
 * An hour that takes a few seconds. It begins at the same instant in all instances,
 * because it is counted on the clock. Thread-safe.
 */
@Component("spedUpHour")
public class SpedUpHour {

	private final long seconds;

	public SpedUpHour(@Value("${sample.hour}") Duration hour) {
		this.seconds = hour.toSeconds();
		Assert.isTrue(hour.equals(Duration.ofSeconds(this.seconds)) && this.seconds > 0 && 60 % this.seconds == 0,
				() -> "sample.hour must be a number of seconds that divides a minute, such as 2s, not " + hour);
	}

	/**
	 * Return when jobs run that run every hour.
	 * @return a cron expression
	 */
	public String cron() {
		return "*/%d * * * * *".formatted(this.seconds);
	}

	/**
	 * Return the number of the hour that begins at about the given time, so that a job
	 * that starts a little late or early belongs to its hour.
	 * @param instant the time
	 * @return the number of the hour since 1970
	 */
	public long numberAt(Instant instant) {
		return Math.round(instant.toEpochMilli() / (this.seconds * 1000.0));
	}

}
