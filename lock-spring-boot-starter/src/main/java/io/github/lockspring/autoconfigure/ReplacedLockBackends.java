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

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

import io.github.lockspring.spi.LockBackend;

/**
 * Backends that a {@link LockBackendReplacement} creates, under the names that the
 * application would have without it.
 */
final class ReplacedLockBackends implements ObjectProvider<LockBackend> {

	private final Map<String, LockBackend> backends = new LinkedHashMap<>();

	private final @Nullable String primary;

	ReplacedLockBackends(LockBackendReplacement replacement, ObjectProvider<LockBackend> own,
			LockProperties properties) {
		List<LockBackend> beans = own.stream().toList();
		LockBackend primary = own.getIfUnique();
		this.primary = (primary != null) ? primary.name() : null;
		beans.forEach((bean) -> add(bean.name(), replacement));
		if (beans.isEmpty()) {
			add(nameOf(properties.getBackend()), replacement);
		}
		properties.getAdditionalBackends()
			.stream()
			.map(LockBackendType::of)
			.filter((type) -> type != null)
			.forEach((type) -> add(type.toString(), replacement));
	}

	private static @Nullable String nameOf(@Nullable String chosen) {
		if (chosen == null) {
			return LockBackendType.LOCAL.toString();
		}
		LockBackendType type = LockBackendType.of(chosen);
		return (type != null) ? type.toString() : null; // reported as unknown
	}

	private void add(@Nullable String name, LockBackendReplacement replacement) {
		if (name != null) {
			this.backends.computeIfAbsent(name, replacement::replace);
		}
	}

	@Override
	public Stream<LockBackend> stream() {
		return this.backends.values().stream();
	}

	@Override
	public @Nullable LockBackend getIfUnique() {
		return (this.primary != null) ? this.backends.get(this.primary) : null;
	}

}
