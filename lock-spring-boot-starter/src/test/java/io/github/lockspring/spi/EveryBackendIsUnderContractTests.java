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

import java.util.Set;
import java.util.stream.Collectors;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that no backend was forgotten: each has a subclass of
 * {@link LockBackendContractTests}, or several, whose name starts with its own.
 */
class EveryBackendIsUnderContractTests {

	private static final String PACKAGE = "io.github.lockspring";

	@Test
	void everyBackendHasItsContractTests() {
		Set<String> tests = concreteSubclasses(new ClassFileImporter(), LockBackendContractTests.class);
		Set<String> backends = concreteSubclasses(
				new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()), LockBackend.class);
		assertThat(backends).isNotEmpty()
			.allSatisfy((backend) -> assertThat(tests).anyMatch((test) -> test.matches(backend + "(Server)?Tests.*")));
	}

	private static Set<String> concreteSubclasses(ClassFileImporter importer, Class<?> type) {
		return read(importer).get(type)
			.getAllSubclasses()
			.stream()
			.filter((subclass) -> !subclass.getModifiers().contains(JavaModifier.ABSTRACT))
			.map(EveryBackendIsUnderContractTests::nameWithoutPackage)
			.collect(Collectors.toSet());
	}

	/**
	 * Reads none of the thousands of classes of libraries.
	 */
	private static JavaClasses read(ClassFileImporter importer) {
		return ArchConfiguration.withThreadLocalScope((configuration) -> {
			configuration.setResolveMissingDependenciesFromClassPath(false);
			return importer.importPackages(PACKAGE);
		});
	}

	private static String nameWithoutPackage(JavaClass type) {
		return type.getName().substring(type.getPackageName().length() + 1);
	}

}
