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

package io.github.lockspring.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * Tells a native image of the fields that are changed by handles, which it would not find
 * because they are looked up by their names.
 */
final class LockRuntimeHints implements RuntimeHintsRegistrar {

	private static final TypeReference[] WITH_HANDLES = { TypeReference.of("io.github.lockspring.DefaultLockHandle"),
			TypeReference.of("io.github.lockspring.engine.Hold"), TypeReference.of("io.github.lockspring.engine.Lease"),
			TypeReference.of("io.github.lockspring.engine.LocalQueue") };

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		for (TypeReference type : WITH_HANDLES) {
			hints.reflection().registerType(type, MemberCategory.ACCESS_DECLARED_FIELDS);
		}
	}

}
