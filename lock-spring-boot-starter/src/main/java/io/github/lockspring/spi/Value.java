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

package io.github.lockspring.spi;

/**
 * State of a value in the store.
 *
 * @param number the number
 * @param version the version, which increases with every change of the value, even if the
 * value is deleted in between; 0 if there is no value
 */
public record Value(long number, long version) {

	/**
	 * State of a value that does not exist. Its number is 0.
	 */
	public static final Value ABSENT = new Value(0, 0);

	/**
	 * Return whether the value exists.
	 * @return {@code false} if it was never set or has been deleted
	 */
	public boolean exists() {
		return this.version != 0;
	}

}
