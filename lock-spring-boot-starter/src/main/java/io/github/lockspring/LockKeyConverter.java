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

package io.github.lockspring;

import org.jspecify.annotations.Nullable;

/**
 * Strategy interface to convert key values to strings. Beans of this type are called in
 * their order for key values that are not strings, numbers, UUIDs, enum constants or
 * booleans.
 */
@FunctionalInterface
public interface LockKeyConverter {

	/**
	 * Convert a key value.
	 * @param key the value of the key expression
	 * @return the key to lock, which must be the same for equal values in every process,
	 * or {@code null} if this converter does not support the type
	 */
	@Nullable String convert(Object key);

}
