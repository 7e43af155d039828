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

package io.github.lockspring.sample.lesson;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

import io.github.lockspring.sample.homemade.CleanedRowLock;
import io.github.lockspring.sample.homemade.EphemeralNodeLock;
import io.github.lockspring.sample.homemade.LuaReleaseLock;
import io.github.lockspring.sample.homemade.OptimisticStock;
import io.github.lockspring.sample.homemade.OwnerInJavaLock;
import io.github.lockspring.sample.homemade.ReentrantHashLock;
import io.github.lockspring.sample.homemade.SequentialNodeLock;
import io.github.lockspring.sample.homemade.SetNxExpireLock;
import io.github.lockspring.sample.homemade.SetNxLock;
import io.github.lockspring.sample.homemade.SetNxPxLock;
import io.github.lockspring.sample.homemade.UniqueRowLock;

/**
 * The steps of the lesson: a homemade lock, and the fault that breaks it.
 */
public enum Experiment {

	/**
	 * {@link SetNxLock}.
	 */
	SET_NX("SETNX, DEL", LessonStore.REDIS, SetNxLock.class, Fault.KILL, Verdict.STUCK),

	/**
	 * {@link SetNxExpireLock}.
	 */
	SET_NX_EXPIRE("SETNX, then EXPIRE", LessonStore.REDIS, SetNxExpireLock.class, Fault.KILL_BETWEEN, Verdict.STUCK),

	/**
	 * {@link SetNxPxLock}.
	 */
	SET_NX_PX("SET NX PX, no owner", LessonStore.REDIS, SetNxPxLock.class, Fault.SLOW_BODY, Verdict.RELEASED_ANOTHER),

	/**
	 * {@link OwnerInJavaLock}.
	 */
	OWNER_IN_JAVA("owner compared in Java", LessonStore.REDIS, OwnerInJavaLock.class, Fault.PAUSE_IN_RELEASE,
			Verdict.RELEASED_ANOTHER),

	/**
	 * {@link LuaReleaseLock}.
	 */
	LUA_RELEASE("Lua release, not renewed", LessonStore.REDIS, LuaReleaseLock.class, Fault.SLOW_BODY,
			Verdict.TWO_INSIDE),

	/**
	 * {@link ReentrantHashLock} in a process that stands still.
	 */
	REENTRANT_HASH("reentrant hash, renewed", LessonStore.REDIS, ReentrantHashLock.class, Fault.PAUSE,
			Verdict.TWO_INSIDE),

	/**
	 * {@link ReentrantHashLock} in a store that forgets.
	 */
	REENTRANT_HASH_RESTART("reentrant hash, renewed", LessonStore.REDIS, ReentrantHashLock.class, Fault.RESTART,
			Verdict.TWO_INSIDE),

	/**
	 * {@link OptimisticStock}.
	 */
	WATCH_MULTI("WATCH, MULTI (no lock)", LessonStore.REDIS, OptimisticStock.class, Fault.CROWD, Verdict.CROWD),

	/**
	 * {@link UniqueRowLock}.
	 */
	UNIQUE_ROW("row with a unique key", LessonStore.H2, UniqueRowLock.class, Fault.KILL, Verdict.STUCK),

	/**
	 * {@link CleanedRowLock}.
	 */
	CLEANED_ROW("row and clean-up job", LessonStore.H2, CleanedRowLock.class, Fault.SLOW_BODY, Verdict.TWO_INSIDE),

	/**
	 * {@link EphemeralNodeLock}.
	 */
	EPHEMERAL_NODE("one ephemeral node", LessonStore.ZOOKEEPER, EphemeralNodeLock.class, Fault.CROWD, Verdict.CROWD),

	/**
	 * {@link SequentialNodeLock}.
	 */
	SEQUENTIAL_NODE("sequential nodes", LessonStore.ZOOKEEPER, SequentialNodeLock.class, Fault.LOST_REPLY,
			Verdict.STUCK);

	private final String label;

	private final LessonStore store;

	private final Class<?> code;

	private final Fault fault;

	private final Verdict expected;

	Experiment(String label, LessonStore store, Class<?> code, Fault fault, Verdict expected) {
		this.label = label;
		this.store = store;
		this.code = code;
		this.fault = fault;
		this.expected = expected;
	}

	/**
	 * Return the experiment with the given id.
	 */
	public static Optional<Experiment> of(String id) {
		return Arrays.stream(values()).filter((experiment) -> experiment.id().equals(id)).findFirst();
	}

	public String id() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	public String label() {
		return this.label;
	}

	public LessonStore store() {
		return this.store;
	}

	/**
	 * Return the name of the class of the homemade lock.
	 */
	public String code() {
		return this.code.getSimpleName();
	}

	public Fault fault() {
		return this.fault;
	}

	/**
	 * Return what becomes of the homemade lock.
	 */
	public Verdict expected() {
		return this.expected;
	}

}
