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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the documentation of the properties: in the editor and on its page. Needs the
 * metadata that the annotation processor writes in a build with Maven.
 */
class LockPropertiesDocumentationTests {

	private static final Path BACKENDS = Path.of("..", "docs", "backends");

	private static final Path PAGE = Path.of("..", "docs", "configuration.md");

	private static final Pattern ROW = Pattern.compile("^\\| `(lock\\.[^`]*)` \\| ([^|]*) \\|", Pattern.MULTILINE);

	private static final Set<Class<?>> LIMITED = Set.of(Duration.class, DurationLimit.class, Integer.class);

	private static final Pattern WITHOUT_DEFAULT = Pattern
		.compile("Defaults to |None by default|Detected .* by default|If not set,");

	private static final Pattern LEAST = Pattern.compile("(At least|Longer than) ([0-9]+)([a-z]*)");

	private static final Pattern MAXIMUM = Pattern.compile("at most ([0-9]+)([a-z]*)");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.shutdown-timeout=0s");

	private final ConfigurationPage page = new ConfigurationPage();

	LockPropertiesDocumentationTests() throws IOException {
	}

	@Test
	void eachPropertyHasADescription() {
		assertThat(this.page.names()).hasSizeGreaterThan(25)
			.allSatisfy((name) -> assertThat(this.page.descriptionOf(name)).as(name).isNotBlank().endsWith("."));
	}

	@Test
	void eachPropertyHasADefaultOrSaysThatItHasNone() {
		assertThat(this.page.names())
			.allSatisfy((name) -> assertThat(WITHOUT_DEFAULT.matcher(this.page.descriptionOf(name)).find()).as(name)
				.isEqualTo(this.page.defaultOf(name).isEmpty()));
	}

	@Test
	void eachDurationAndEachNumberHasALimit() {
		assertThat(this.page.names()).filteredOn((name) -> name.startsWith("lock.") && !name.equals("lock.aop.order"))
			.filteredOn((name) -> LIMITED.contains(this.page.typeOf(name)))
			.hasSizeGreaterThan(15)
			.allSatisfy((name) -> assertThat(this.page.descriptionOf(name)).as(name)
				.containsAnyOf("At least ", "Longer than ")
				.matches(Pattern.compile("[^.]+\\. .*", Pattern.DOTALL)));
	}

	/**
	 * Values at the limit are accepted, those beyond it are not.
	 */
	@Test
	void limitsInTheDescriptionsAreThoseThatAreChecked() {
		this.page.names().forEach((name) -> {
			Matcher least = LEAST.matcher(this.page.descriptionOf(name));
			if (least.find()) {
				boolean inclusive = least.group(1).equals("At least");
				assertAccepted(name, least.group(2) + least.group(3), inclusive);
				assertAccepted(name, beyond(least.group(2), least.group(3), -1), false);
			}
			Matcher most = MAXIMUM.matcher(this.page.descriptionOf(name));
			if (most.find() && !most.group(2).isEmpty()
					|| LIMITED.contains(this.page.typeOf(name)) && most.reset().find()) {
				assertAccepted(name, most.group(1) + most.group(2), true);
				assertAccepted(name, beyond(most.group(1), most.group(2), 1), false);
			}
		});
	}

	private static String beyond(String number, String unit, int distance) {
		return unit.isEmpty() ? Long.toString(Long.parseLong(number) + distance)
				: DurationStyle.SIMPLE.parse(number + unit).plusNanos(distance).toString();
	}

	private void assertAccepted(String name, String value, boolean accepted) {
		this.runner.withPropertyValues(name + '=' + value)
			.run((context) -> assertThat(context.getStartupFailure() == null).as(name + '=' + value)
				.isEqualTo(accepted));
	}

	@Test
	void hintsAreThoseOfProperties() throws ClassNotFoundException {
		assertThat(this.page.hints()).contains("lock.names.keys")
			.allSatisfy((name) -> assertThat(this.page.names()).contains(name.replaceAll("\\.keys$", "")));
		for (String name : List.of("lock.backend", "lock.additional-backends")) {
			assertThat(this.page.suggestionsFor(name))
				.containsExactlyElementsOf(Stream.of(LockBackendType.values()).map(Object::toString).toList());
		}
		for (String name : List.of("lock.jdbc.data-source", "lock.redis.connection-factory", "lock.zookeeper.client")) {
			assertThat(Class.forName(this.page.beanTypesOf(name).get(0))).isInterface();
		}
	}

	@Test
	void suggestedValuesAreAccepted() {
		this.page.hints().stream().filter((name) -> !name.contains("backend")).forEach((name) -> {
			for (String value : this.page.suggestionsFor(name)) {
				assertAccepted(name, value, true);
			}
		});
	}

	@Test
	void pageIsThatOfTheMetadata() throws IOException {
		String expected = this.page.text();
		if (Boolean.getBoolean("lock.docs.write")) {
			Files.writeString(PAGE, expected);
		}
		assertThat(Files.readString(PAGE))
			.as("docs/configuration.md differs from the metadata of the properties. To regenerate it, run: mvn test"
					+ " -pl lock-spring-boot-starter -Dtest=LockPropertiesDocumentationTests -Dlock.docs.write=true")
			.isEqualTo(expected);
	}

	@Test
	void eachPropertyIsOnThePage() {
		String text = this.page.text();
		assertThat(this.page.names()).filteredOn((name) -> !name.equals("lock.names"))
			.allMatch((name) -> text.contains("| `" + name + "` |"));
	}

	@Test
	void defaultsOnThePagesOfBackendsAreThoseOfTheMetadata() throws IOException {
		for (String page : List.of("redis", "jdbc", "zookeeper")) {
			assertThat(defaultsIn(BACKENDS.resolve(page + ".md"))).as(page)
				.hasSizeGreaterThan(2)
				.allSatisfy(this::assertDefault);
		}
	}

	@Test
	void defaultsThatTheProcessorDoesNotKnowAreThoseOfTheCode() {
		LockProperties properties = new LockProperties();
		assertThat(DurationStyle.detectAndParse(this.page.defaultOf("lock.max-hold-time")))
			.isEqualTo(properties.getMaxHoldTime().toDuration());
		assertThat(this.page.defaultOf("lock.aop.order")).isEqualTo(Integer.toString(properties.getAop().getOrder()));
	}

	private static Map<String, String> defaultsIn(Path page) throws IOException {
		return ROW.matcher(Files.readString(page))
			.results()
			.collect(Collectors.toMap((row) -> row.group(1), LockPropertiesDocumentationTests::defaultOf));
	}

	private void assertDefault(String name, String value) {
		assertThat(value).as(name).isEqualTo(this.page.defaultOf(name));
	}

	/**
	 * A value is written as code, other text stands for a property without a default.
	 */
	private static String defaultOf(MatchResult row) {
		String cell = row.group(2);
		return cell.startsWith("`") ? cell.substring(1, cell.length() - 1) : "";
	}

}
