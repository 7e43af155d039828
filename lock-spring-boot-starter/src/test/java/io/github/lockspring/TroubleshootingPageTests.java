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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import io.github.lockspring.aop.RecordingBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LockConfigurationException;
import io.github.lockspring.spi.PermitLimitException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@code docs/troubleshooting.md}: it has a section for each exception that
 * applications meet.
 */
class TroubleshootingPageTests {

	private static final Pattern SECTION = Pattern.compile("^### `(\\w+)`\n(.*?)(?=^##|\\z)",
			Pattern.MULTILINE | Pattern.DOTALL);

	private static final Pattern MESSAGE = Pattern.compile("```\n(.*?)\n```", Pattern.DOTALL);

	/**
	 * The packages whose exceptions reach applications, whatever they are used for.
	 */
	private static final Set<String> PACKAGES = Set.of("io.github.lockspring", "io.github.lockspring.concurrent",
			"io.github.lockspring.fencing", "io.github.lockspring.spi");

	private static final String KEY = "lock:shop:order:42";

	private final Map<String, String> sections;

	TroubleshootingPageTests() throws IOException {
		Matcher matcher = SECTION.matcher(Files.readString(Path.of("..", "docs", "troubleshooting.md")));
		this.sections = matcher.results()
			.collect(Collectors.toMap((section) -> section.group(1), (section) -> section.group(2)));
	}

	@Test
	void eachExceptionHasASection() {
		assertThat(this.sections.keySet()).hasSizeGreaterThan(15).containsExactlyInAnyOrderElementsOf(exceptions());
	}

	private static List<String> exceptions() {
		return new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
			.importPackages("io.github.lockspring")
			.stream()
			.filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
			.filter((type) -> !type.getModifiers().contains(JavaModifier.ABSTRACT))
			.filter((type) -> PACKAGES.contains(type.getPackageName())
					|| type.isAssignableTo(LockConfigurationException.class))
			.filter((type) -> Exception.class.isAssignableFrom(type.reflect()))
			.map(JavaClass::getSimpleName)
			.toList();
	}

	@Test
	void eachSectionHasACauseAndARemedy() {
		assertThat(this.sections)
			.allSatisfy((name, text) -> assertThat(text).as(name).containsSubsequence("**Cause.**\n", "**Remedy.**\n"));
	}

	@Test
	void messagesAreThoseOfTheExceptions() {
		Map<String, Exception> examples = Stream
			.of(new LockNotAcquiredException(KEY, Duration.ofSeconds(5)), unavailable(), new LockLostException(KEY),
					new LockSuspendedException(KEY), new LockShutdownException(KEY, null),
					new LockInterruptedException(KEY, new InterruptedException()), new LockUpgradeException(KEY),
					new PermitLimitException(LeaseMode.permits(1, 5), 3, 0), invalidKey())
			.collect(Collectors.toMap((each) -> each.getClass().getSimpleName(), Function.identity()));
		assertThat(examples).allSatisfy(
				(name, example) -> assertThat(messageIn(this.sections.get(name))).isEqualTo(example.getMessage()));
	}

	private static LockException unavailable() {
		RecordingBackend backend = new RecordingBackend(new LocalStore(), "redis");
		backend.setDown(true);
		try (LockTemplate locks = LockTemplate.builder(backend)
			.keyPrefix("lock:shop")
			.waitTime(Duration.ZERO)
			.build()) {
			locks.acquire("order:42").close();
			throw new IllegalStateException("A backend that is down grants locks");
		}
		catch (LockUnavailableException ex) {
			return ex;
		}
	}

	private static InvalidLockKeyException invalidKey() {
		try {
			LockKeys.requireValid(" ");
			throw new IllegalStateException("A blank key is accepted");
		}
		catch (InvalidLockKeyException ex) {
			return ex;
		}
	}

	private static String messageIn(String section) {
		return MESSAGE.matcher(section).results().map((result) -> result.group(1)).findFirst().orElse("");
	}

}
