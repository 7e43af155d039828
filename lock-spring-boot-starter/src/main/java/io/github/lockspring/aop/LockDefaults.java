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
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockOptions;

/**
 * What is configured for annotations: what holds for those that say nothing else, and
 * what wins over those that do.
 *
 * @param options how to lock
 * @param renewInterval how long after the last renewal the next one is due, or
 * {@code null} for a part of each lease time
 * @param insideTransaction what becomes of a lock inside an open transaction
 * @param checks what happens at startup when an annotation has a mistake
 * @param names what is configured for single names
 * @param jpa what becomes of entities that are older than a lock
 */
public record LockDefaults(LockOptions options, @Nullable Duration renewInterval, InsideTransaction insideTransaction,
		LockChecks checks, Map<String, LockOverrides> names, JpaMode jpa) {

	/**
	 * Keeps a copy of the names.
	 */
	public LockDefaults {
		names = Map.copyOf(names);
	}

	/**
	 * Creates defaults that warn of entities that are older than a lock.
	 * @param options how to lock
	 * @param renewInterval how long after the last renewal the next one is due, or
	 * {@code null} for a part of each lease time
	 * @param insideTransaction what becomes of a lock inside an open transaction
	 * @param checks what happens at startup when an annotation has a mistake
	 * @param names what is configured for single names
	 */
	public LockDefaults(LockOptions options, @Nullable Duration renewInterval, InsideTransaction insideTransaction,
			LockChecks checks, Map<String, LockOverrides> names) {
		this(options, renewInterval, insideTransaction, checks, names, JpaMode.WARN);
	}

	/**
	 * Creates defaults with nothing configured for single names.
	 * @param options how to lock
	 * @param renewInterval how long after the last renewal the next one is due, or
	 * {@code null} for a part of each lease time
	 */
	public LockDefaults(LockOptions options, @Nullable Duration renewInterval) {
		this(options, renewInterval, InsideTransaction.AFTER_COMPLETION, LockChecks.FAIL, Map.of());
	}

	/**
	 * What is configured for the locks of one name. It wins over what their annotations
	 * say.
	 * @param name the name of the lock
	 * @return the overrides, {@link LockOverrides#NONE} if nothing is configured
	 */
	public LockOverrides forName(String name) {
		return this.names.getOrDefault(name, LockOverrides.NONE);
	}

	/**
	 * The names for which something is configured. One that no annotation uses is
	 * probably misspelt.
	 * @return the names
	 */
	public Set<String> configuredNames() {
		return this.names.keySet();
	}

}
