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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.lockspring.spi.ValueChange;

/**
 * Base class of objects with a value in the store that can be deleted, and can expire.
 */
abstract class ExpirableValue {

	final StoredValue value;

	private final String noun;

	/**
	 * Create an object.
	 * @param value its value
	 * @param noun what it is called in messages
	 */
	ExpirableValue(StoredValue value, String noun) {
		this.value = value;
		this.noun = noun;
	}

	public boolean delete() {
		return this.value.update(new ValueChange.Delete(ValueChange.ANY_VERSION)).applied();
	}

	public boolean expire(Duration timeToLive) {
		return this.value.expire(timeToLive).exists();
	}

	public boolean persist() {
		return this.value.persist().exists();
	}

	public CompletableFuture<Boolean> expireAsync(Duration timeToLive) {
		return this.value.async(() -> expire(timeToLive));
	}

	public CompletableFuture<Boolean> persistAsync() {
		return this.value.async(this::persist);
	}

	@Override
	public String toString() {
		return this.noun + ' ' + this.value;
	}

}
