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

/**
 * What is done to the holder of a lock, or to its store.
 */
public enum Fault {

	/**
	 * The process of the holder is killed.
	 */
	KILL("holder killed"),

	/**
	 * The process of the holder is killed between the two commands of the acquisition;
	 * where it is one command, after it.
	 */
	KILL_BETWEEN("holder killed between commands"),

	/**
	 * The holder works for longer than the expiry.
	 */
	SLOW_BODY("holder slower than the expiry"),

	/**
	 * The process of the holder stands still for longer than the expiry, in the middle of
	 * its release; where that is one command, before it.
	 */
	PAUSE_IN_RELEASE("holder paused in its release"),

	/**
	 * The process of the holder stands still for longer than the expiry, before it
	 * writes.
	 */
	PAUSE("holder paused before it writes"),

	/**
	 * The store is started again without its data.
	 */
	RESTART("store restarted empty"),

	/**
	 * A hundred threads of ten processes want it at once.
	 */
	CROWD("a hundred want it at once"),

	/**
	 * The reply to the request that acquires is lost, and so is its connection.
	 */
	LOST_REPLY("reply lost");

	private final String words;

	Fault(String words) {
		this.words = words;
	}

	public String words() {
		return this.words;
	}

}
