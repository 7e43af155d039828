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

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;

import io.github.lockspring.spi.LockBackend;

/**
 * Takes the one backend there is, or says what the choices are.
 */
final class LockBackendChoice {

	private final @Nullable LockBackendType chosen;

	LockBackendChoice(@Nullable LockBackendType chosen) {
		this.chosen = chosen;
	}

	LockBackend requireOne(ObjectProvider<LockBackend> backends) {
		LockBackend backend = backends.getIfUnique();
		if (backend != null) {
			return backend;
		}
		List<String> names = backends.stream().map(LockBackend::name).toList();
		if (!names.isEmpty()) {
			throw new LockConfigurationException(
					"There are several places to keep locks: " + String.join(", ", names) + '.', listOfChoices());
		}
		throw (this.chosen != null) ? withoutLibrary(this.chosen)
				: new LockConfigurationException(
						"There is nowhere to keep locks: the property lock.backend is not set, "
								+ "and the application has no client of a store.",
						listOfChoices());
	}

	private static LockConfigurationException withoutLibrary(LockBackendType chosen) {
		return new LockConfigurationException(
				"The property lock.backend is " + chosen + ", but a library that this backend needs is missing.",
				"Add the dependency " + chosen.dependency() + ", or choose another backend.");
	}

	private static String listOfChoices() {
		return Arrays.stream(LockBackendType.values())
			.map((type) -> "\t- " + type + ": " + type.description())
			.collect(Collectors.joining("\n", "Set the property lock.backend to one of\n\n",
					"\n\nor define a bean of type " + LockBackend.class.getName() + '.'));
	}

}
