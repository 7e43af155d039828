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
package io.github.lockspring.autoconfigure;

import java.time.Duration;

import com.fasterxml.jackson.annotation.JsonValue;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.Assert;

/**
 * Duration or {@code unlimited}, used as the value of a configuration property.
 *
 * @see LockProperties#getMaxHoldTime()
 */
public final class DurationLimit {

	/**
	 * No limit, written as {@code unlimited}.
	 */
	public static final DurationLimit UNLIMITED = new DurationLimit(Duration.ofSeconds(Long.MAX_VALUE));

	private static final String UNLIMITED_TEXT = "unlimited";

	private final Duration duration;

	private DurationLimit(Duration duration) {
		this.duration = duration;
	}

	/**
	 * Return a limit of the given duration.
	 * @param duration the duration
	 * @return the limit
	 */
	public static DurationLimit of(Duration duration) {
		Assert.notNull(duration, "'duration' must not be null");
		return duration.equals(UNLIMITED.duration) ? UNLIMITED : new DurationLimit(duration);
	}

	/**
	 * Return the limit represented by a string. Called when properties are bound.
	 * @param text {@code unlimited}, or a duration with its unit such as {@code 12h} or
	 * {@code PT12H}
	 * @return the limit
	 * @throws IllegalArgumentException if the string is neither
	 */
	public static DurationLimit valueOf(String text) {
		String stripped = text.strip();
		if (stripped.equalsIgnoreCase(UNLIMITED_TEXT)) {
			return UNLIMITED;
		}
		if (stripped.isEmpty() || Character.isDigit(stripped.charAt(stripped.length() - 1))) {
			throw new IllegalArgumentException(
					"'" + text + "' is neither 'unlimited' nor a duration with its unit such as '12h'");
		}
		return of(DurationFormatterUtils.detectAndParse(stripped));
	}

	/**
	 * Return whether there is no limit.
	 * @return {@code true} for {@link #UNLIMITED}
	 */
	public boolean isUnlimited() {
		return this == UNLIMITED;
	}

	/**
	 * Return the limit as a duration.
	 * @return the duration, the maximum duration if unlimited
	 */
	public Duration toDuration() {
		return this.duration;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof DurationLimit limit && this.duration.equals(limit.duration);
	}

	@Override
	public int hashCode() {
		return this.duration.hashCode();
	}

	@JsonValue
	@Override
	public String toString() {
		return isUnlimited() ? UNLIMITED_TEXT : this.duration.toString();
	}

}
