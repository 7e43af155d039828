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
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.ObjectProvider;

import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.LockConfigurationException;

/**
 * Selects the default backend, or throws an exception that lists the choices. The default
 * backend is, in this order:
 * <ol>
 * <li>the only backend,</li>
 * <li>the backend specified by the property {@code lock.backend},</li>
 * <li>the primary bean,</li>
 * <li>the only backend that is not an additional one.</li>
 * </ol>
 */
final class DefaultBackendSelector {

	private final @Nullable String chosen;

	private final List<String> additional;

	private final boolean aheadOfTime;

	DefaultBackendSelector(LockProperties properties) {
		this(properties, AotDetector.useGeneratedArtifacts());
	}

	DefaultBackendSelector(LockProperties properties, boolean aheadOfTime) {
		this.chosen = properties.getBackend();
		this.additional = properties.getAdditionalBackends();
		this.aheadOfTime = aheadOfTime;
	}

	LockBackend requireDefault(ObjectProvider<LockBackend> beans) {
		List<LockBackend> backends = beans.stream().toList();
		List<String> names = backends.stream().map(LockBackend::name).toList();
		requireChosenIsKnown(names);
		if (names.isEmpty()) {
			throw none();
		}
		requireAdditional(names);
		if (names.size() == 1 && this.additional.isEmpty()) {
			requireChoiceOfTheBuild(names.get(0));
			return backends.get(0);
		}
		requireUnique(names);
		if (this.chosen != null) {
			return named(this.chosen, backends);
		}
		LockBackend primary = beans.getIfUnique();
		return (primary != null && names.size() > 1) ? primary : onlyOneThatIsNotAdditional(backends);
	}

	/**
	 * Reject an unknown name. The name of a known type is accepted, because an
	 * application that defines the only backend need not remove the property.
	 */
	private void requireChosenIsKnown(List<String> names) {
		if (this.chosen != null && !contains(names, this.chosen) && LockBackendType.of(this.chosen) == null) {
			throw new LockConfigurationException(
					"The property lock.backend is '" + this.chosen + "', but no such backend exists.",
					names.isEmpty() ? listOfChoices() : "Set it to one of them: " + String.join(", ", names) + '.');
		}
	}

	private LockConfigurationException none() {
		LockBackendType type = (this.chosen != null) ? LockBackendType.of(this.chosen) : null;
		if (type != null) {
			return withoutLibrary("lock.backend is " + type, type);
		}
		requireAdditional(List.of());
		return new LockConfigurationException("No lock backend could be configured: 'lock.backend' is not set and no "
				+ "supported client bean was found.", listOfChoices());
	}

	private LockConfigurationException withoutLibrary(String property, LockBackendType type) {
		if (this.aheadOfTime) {
			return new LockConfigurationException(
					"The property " + property
							+ ", but the application was built ahead of time (AOT) without this backend.",
					"Set the property to the same value for the build.");
		}
		return new LockConfigurationException(
				"The property " + property + ", but a library required by this backend is missing.",
				"Add the dependency " + type.dependency() + ", or select another backend.");
	}

	/**
	 * Check that the additional backends exist and are listed once.
	 */
	void requireAdditional(List<String> names) {
		TreeSet<String> seen = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
		for (String name : this.additional) {
			if (!seen.add(name)) {
				throw new LockConfigurationException(
						"The property lock.additional-backends contains '" + name + "' more than once.",
						"List each backend once. For two backends of one type, define beans of type "
								+ LockBackend.class.getName() + " with different names.");
			}
			if (!contains(names, name)) {
				throw missing(name, names);
			}
		}
	}

	private LockConfigurationException missing(String name, List<String> names) {
		LockBackendType type = LockBackendType.of(name);
		if (type != null) {
			return withoutLibrary("lock.additional-backends contains " + type, type);
		}
		TreeSet<String> choices = new TreeSet<>(names);
		Arrays.stream(LockBackendType.values()).map(LockBackendType::toString).forEach(choices::add);
		return new LockConfigurationException(
				"The property lock.additional-backends contains '" + name + "', but no such backend exists.",
				"Set it to one or more of: " + String.join(", ", choices) + '.');
	}

	/**
	 * Reject a backend other than that of the build. In an application that was processed
	 * ahead of time, the backend is determined by its build and cannot be changed by a
	 * property.
	 */
	private void requireChoiceOfTheBuild(String built) {
		if (this.aheadOfTime && this.chosen != null && !this.chosen.equalsIgnoreCase(built)
				&& LockBackendType.of(built) != null) {
			throw new LockConfigurationException("The property lock.backend is " + this.chosen
					+ ", but the application was built ahead of time (AOT) with the lock backend " + built + '.',
					"Set the property to " + this.chosen + " for the build as well, or leave it at " + built + '.');
		}
	}

	static void requireUnique(List<String> names) {
		TreeSet<String> seen = new TreeSet<>();
		for (String name : names) {
			if (name.isEmpty() || name.contains("/")) {
				throw new LockConfigurationException("A lock backend has the name '" + name + "'.",
						"Return a name() without slashes that is not empty: it is a part of the path of health.");
			}
			if (!seen.add(name)) {
				throw new LockConfigurationException(
						"Several lock backends have the same name: " + String.join(", ", names) + '.',
						"Give each bean of type " + LockBackend.class.getName()
								+ " a unique name(). Declare a backend that is only a part of another with "
								+ "@Bean(autowireCandidate = false).");
			}
		}
	}

	private static LockBackend named(String chosen, List<LockBackend> backends) {
		return backends.stream()
			.filter((backend) -> backend.name().equalsIgnoreCase(chosen))
			.findFirst()
			.orElseThrow(() -> new LockConfigurationException(
					"The property lock.backend is " + chosen + ", but this backend is not configured. Configured: "
							+ namesOf(backends) + '.',
					"Set it to one of them, or add " + chosen + " to lock.additional-backends: if the application "
							+ "defines its own backend, others are configured only if they are listed there."));
	}

	private LockBackend onlyOneThatIsNotAdditional(List<LockBackend> backends) {
		List<LockBackend> candidates = backends.stream()
			.filter((backend) -> !contains(this.additional, backend.name()))
			.toList();
		if (candidates.size() == 1) {
			return candidates.get(0);
		}
		if (candidates.isEmpty()) {
			throw new LockConfigurationException(
					"The property lock.backend is not set, and lock.additional-backends contains all configured "
							+ "backends: " + namesOf(backends) + '.',
					"Set the property lock.backend to the default backend, one of these or another one.");
		}
		throw new LockConfigurationException("Several lock backends are available: " + namesOf(candidates) + '.',
				"Set the property lock.backend to the default backend, or define a primary bean.\n\n"
						+ listOfChoices());
	}

	private static String namesOf(List<LockBackend> backends) {
		return backends.stream().map(LockBackend::name).collect(Collectors.joining(", "));
	}

	private static boolean contains(List<String> names, String name) {
		return names.stream().anyMatch(name::equalsIgnoreCase);
	}

	private static String listOfChoices() {
		return Arrays.stream(LockBackendType.values())
			.map((type) -> "\t- " + type + ": " + type.description())
			.collect(Collectors.joining("\n", "Set the property lock.backend to one of:\n\n",
					"\n\nor define a bean of type " + LockBackend.class.getName() + '.'));
	}

}
