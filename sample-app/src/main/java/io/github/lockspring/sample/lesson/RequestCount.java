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
 * Counts what a store is asked.
 */
interface RequestCount extends AutoCloseable {

	/**
	 * Return the address that those use who are counted.
	 */
	String address();

	/**
	 * Return the number of requests so far. What a script does counts as one.
	 */
	long soFar();

	@Override
	void close();

}
