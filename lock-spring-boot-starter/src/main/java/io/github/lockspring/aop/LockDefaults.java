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
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockOptions;

/**
 * Configuration of annotations: defaults for attributes that are not set, and overrides
 * for those that are.
 *
 * @param options the default options
 * @param renewInterval the interval between renewals, or {@code null} for a fraction of
 * each lease time
 * @param rejectInsideTransaction whether to reject calls inside an existing transaction
 * @param failOnInvalid whether invalid annotations fail the startup
 * @param names the overrides by lock name
 * @param jpa the handling of entities loaded before a lock was acquired
 */
public record LockDefaults(LockOptions options, @Nullable Duration renewInterval, boolean rejectInsideTransaction,
		boolean failOnInvalid, Map<String, Overrides> names, Jpa jpa) {

	/**
	 * Create a copy of the names.
	 */
	public LockDefaults {
		names = Map.copyOf(names);
	}

	/**
	 * Return the overrides for the locks of the given name, which take precedence over
	 * the attributes of their annotations.
	 * @param name the name of the lock
	 * @return the overrides, {@link Overrides#NONE} if nothing is configured
	 */
	public Overrides forName(String name) {
		return this.names.getOrDefault(configuredNameOf(name), Overrides.NONE);
	}

	/**
	 * Return the name under which overrides for a lock are configured, if there are any:
	 * its own, or its lower-case letters and digits, which is all that remains of a name
	 * in an environment variable.
	 * @param name the name of the lock
	 * @return the configured name
	 */
	public String configuredNameOf(String name) {
		return this.names.containsKey(name) ? name : name.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
	}

	/**
	 * Return the lock names with overrides. A name that is not used by any annotation is
	 * probably misspelled.
	 * @return the names
	 */
	public Set<String> configuredNames() {
		return this.names.keySet();
	}

	/**
	 * Handling of entities loaded before a lock was acquired.
	 *
	 * @param clear whether to detach them
	 * @param clearInTransaction whether to flush and detach them in a transaction, too
	 */
	public record Jpa(boolean clear, boolean clearInTransaction) {

	}

	/**
	 * Configured overrides for the locks of one name, which take precedence over the
	 * attributes of their annotations.
	 *
	 * @param waitTime the wait time, or {@code null} to use that of the annotation
	 * @param leaseTime the lease time, or {@code null} to use that of the annotation
	 * @param autoRenew whether leases are renewed, or {@code null} to use the value of
	 * the annotation
	 * @param retain how long leases are retained, or {@code null} to use the time of the
	 * annotation
	 * @param backend the name of the backend, or {@code null} to use that of the
	 * annotation
	 */
	public record Overrides(@Nullable Duration waitTime, @Nullable Duration leaseTime, @Nullable Boolean autoRenew,
			@Nullable Duration retain, @Nullable String backend) {

		/**
		 * No overrides.
		 */
		public static final Overrides NONE = new Overrides(null, null, null, null, null);

		boolean hasTime(String attribute) {
			return switch (attribute) {
				case "waitTime" -> this.waitTime != null;
				case "leaseTime" -> this.leaseTime != null;
				case "retain" -> this.retain != null;
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
			changed = (this.retain != null) ? changed.withRetain(this.retain) : changed;
			return (this.autoRenew != null) ? changed.withAutoRenew(this.autoRenew) : changed;
		}

	}

}
