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

package io.github.lockspring.sample.page;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.sample.instance.Instance;

/**
 * An instance of the cluster. Thread-safe.
 */
class Member {

	private final String name;

	private final @Nullable String ownAddress;

	private volatile @Nullable Instance instance;

	private volatile State state;

	/**
	 * Create a member.
	 * @param name the name of the instance
	 * @param ownAddress the address of this process, {@code null} for one that is started
	 */
	Member(String name, @Nullable String ownAddress) {
		this.name = name;
		this.ownAddress = ownAddress;
		this.state = (ownAddress != null) ? State.SERVING : State.STARTING;
	}

	String name() {
		return this.name;
	}

	State state() {
		return this.state;
	}

	void setState(State state) {
		this.state = state;
	}

	/**
	 * Return whether the member may be paused and killed: this process serves the page.
	 */
	boolean isBreakable() {
		return this.ownAddress == null;
	}

	String address() {
		return (this.ownAddress != null) ? this.ownAddress : instance().address();
	}

	Instance instance() {
		Instance instance = this.instance;
		if (instance == null) {
			throw new IllegalStateException("Instance " + this.name + " has not been started");
		}
		return instance;
	}

	void starting(Instance instance) {
		this.instance = instance;
		this.state = State.STARTING;
	}

	void kill() {
		Instance instance = this.instance;
		if (instance != null) {
			this.state = State.KILLED;
			instance.kill();
		}
	}

	/**
	 * State of an instance.
	 */
	enum State {

		/**
		 * Takes no requests yet.
		 */
		STARTING,

		/**
		 * Takes requests.
		 */
		SERVING,

		/**
		 * Stopped by {@code SIGSTOP}.
		 */
		PAUSED,

		/**
		 * Killed by {@code SIGKILL}, or did not start.
		 */
		KILLED

	}

}
