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
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the documentation of the properties: in the editor, on its page and in the
 * README. Needs the metadata that the annotation processor writes in a build with Maven.
 */
class LockPropertiesDocumentationTests {

	private static final Path README = Path.of("..", "README.md");

	private static final Path PAGE = Path.of("..", "docs", "configuration.md");

	private static final Pattern README_ROW = Pattern.compile("^\\| `(lock\\.[^`]*)` \\| ([^|]*) \\|",
			Pattern.MULTILINE);

	private final ConfigurationPage page = new ConfigurationPage();

	LockPropertiesDocumentationTests() throws IOException {
	}

	@Test
	void eachPropertyHasADescription() {
		assertThat(this.page.names()).hasSizeGreaterThan(25)
			.allSatisfy((name) -> assertThat(this.page.descriptionOf(name)).as(name).isNotBlank().endsWith("."));
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
	void defaultsInTheReadmeAreThoseOfTheMetadata() throws IOException {
		Map<String, String> rows = README_ROW.matcher(Files.readString(README))
			.results()
			.collect(Collectors.toMap((row) -> row.group(1), LockPropertiesDocumentationTests::defaultOf));
		assertThat(rows).hasSize(10)
			.allSatisfy((name, value) -> assertThat(value).as(name).isEqualTo(this.page.defaultOf(name)));
	}

	/**
	 * A value is written as code, other text stands for a property without a default.
	 */
	private static String defaultOf(MatchResult row) {
		String cell = row.group(2);
		return cell.startsWith("`") ? cell.substring(1, cell.length() - 1) : "";
	}

}
