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
 * A store of the locks.
 */
public enum LessonStore {

	/**
	 * Redis.
	 */
	REDIS("Redis"),

	/**
	 * H2, for databases.
	 */
	H2("H2"),

	/**
	 * ZooKeeper.
	 */
	ZOOKEEPER("ZooKeeper");

	private final String label;

	LessonStore(String label) {
		this.label = label;
	}

	public String label() {
		return this.label;
	}

}
