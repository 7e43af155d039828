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

package io.github.lockspring.server;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A value that is created when it is needed. An attempt that fails, or aborts a test, is
 * made again, unlike that of a static initializer.
 *
 * @param <T> the type of the value
 */
final class Lazy<T> {

	private final Supplier<T> creator;

	private @Nullable T value;

	Lazy(Supplier<T> creator) {
		this.creator = creator;
	}

	synchronized T get() {
		T result = this.value;
		if (result == null) {
			result = this.creator.get();
			this.value = result;
		}
		return result;
	}

}
