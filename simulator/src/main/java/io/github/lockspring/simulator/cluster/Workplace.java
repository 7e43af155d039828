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

package io.github.lockspring.simulator.cluster;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.history.Fact;
import io.github.lockspring.simulator.history.LockFact.Written;

/**
 * Where {@link Worker} does its work: a simulated cluster, or a process of the operating
 * system. Thread-safe if its workers run at the same time.
 */
public interface Workplace {

	/**
	 * Return the times and numbers of the work.
	 * @return the settings
	 */
	ClusterSettings settings();

	/**
	 * Return whether no worker is to begin anything.
	 * @return whether the work ends
	 */
	boolean isEnding();

	/**
	 * Return the number of a new operation.
	 * @return a number that is unique in the history
	 */
	long nextOperation();

	/**
	 * Append to the history what has just happened, or is about to begin.
	 * @param process name of the process
	 * @param worker name of the thread
	 * @param fact what happened
	 */
	void record(String process, String worker, Fact fact);

	/**
	 * Look, and append what was found to the history, with the time before the look.
	 * @param <F> the type of fact
	 * @param process name of the process
	 * @param worker name of the thread
	 * @param look returns what was found, or {@code null} to append nothing
	 * @return what was found
	 */
	<F extends @Nullable Fact> F look(String process, String worker, Supplier<F> look);

	/**
	 * Write to a resource that rejects smaller tokens than it has seen, and append its
	 * decision to the history.
	 * @param process name of the process
	 * @param worker name of the thread
	 * @param write the write, not accepted yet
	 * @param delay nanoseconds until it reaches the resource, unless that takes some time
	 * anyway
	 */
	void write(String process, String worker, Written write, long delay);

}
