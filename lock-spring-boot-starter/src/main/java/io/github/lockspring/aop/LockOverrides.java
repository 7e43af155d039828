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

package io.github.lockspring.aop;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockOptions;

/**
 * Configured overrides for the locks of one name, which take precedence over the
 * attributes of their annotations.
 *
 * @param waitTime the wait time, or {@code null} to use that of the annotation
 * @param leaseTime the lease time, or {@code null} to use that of the annotation
 * @param autoRenew whether leases are renewed, or {@code null} to use the value of the
 * annotation
 * @param backend the name of the backend, or {@code null} to use that of the annotation
 */
public record LockOverrides(@Nullable Duration waitTime, @Nullable Duration leaseTime, @Nullable Boolean autoRenew,
		@Nullable String backend) {

	/**
	 * No overrides.
	 */
	public static final LockOverrides NONE = new LockOverrides(null, null, null, null);

	boolean hasTime(String attribute) {
		return switch (attribute) {
			case "waitTime" -> this.waitTime != null;
			case "leaseTime" -> this.leaseTime != null;
			default -> false;
		};
	}

	/**
	 * Apply the overrides to the options specified by an annotation.
	 * @param options the options of the annotation
	 * @return the resulting options
	 * @throws IllegalArgumentException if a time is out of range
	 */
	public LockOptions applyTo(LockOptions options) {
		LockOptions changed = options;
		changed = (this.waitTime != null) ? changed.withWaitTime(this.waitTime) : changed;
		changed = (this.leaseTime != null) ? changed.withLeaseTime(this.leaseTime) : changed;
		return (this.autoRenew != null) ? changed.withAutoRenew(this.autoRenew) : changed;
	}

}
