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
 * Request for a change of a value. A process has at most one update of a key under way,
 * and numbers its updates of a key in increasing order.
 *
 * @param key the key of the value
 * @param change the change
 * @param id the identity of this update, by which the store recognizes repetitions
 * @param repeated whether an earlier attempt may have been applied
 */
public record ValueUpdate(String key, ValueChange change, OwnerId id, boolean repeated) {

	/**
	 * Create a new update.
	 * @param key the key of the value
	 * @param change the change
	 * @param id the identity of this update
	 */
	public ValueUpdate(String key, ValueChange change, OwnerId id) {
		this(key, change, id, false);
	}

	/**
	 * Return this update for another attempt after one whose outcome is unknown.
	 * @return the same update, marked as repeated
	 */
	public ValueUpdate again() {
		return new ValueUpdate(this.key, this.change, this.id, true);
	}

}
