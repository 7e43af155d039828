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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that each idea has one word, that of the field: sources, metadata, scripts,
 * benchmarks and pages do not use the words that were retired.
 */
class VocabularyTests {

	private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

	/**
	 * Retired words, and what to say instead.
	 */
	private static final Map<Pattern, String> RETIRED = new LinkedHashMap<>();

	static {
		retire("tells?|told|telling", "report, log, notify, return or throw");
		retire("gives? back|gave back|given back|giving back", "release");
		retire("nobody|nobody's", "no process, no owner, no thread");
		retire("whoever", "a process that, an owner that");
		retire("news", "notification");
		retire("courtesy|courteous|patience", "yield, retry schedule, wait time");
		retire("upkeep|chores?", "maintenance, task");
		retire("troubles?", "failure");
		retire("go(es)? on|going on|went on", "continue");
		retire("steps? down|stepped down", "downgrade");
		retire("pass(es|ed)?( it)? on|passing on", "hand off");
		retire("hands? over|handed over|hand-?overs?", "hand off, hand-off");
		retire("disown(s|ed)?", "discard the request");
		retire("vouch(es|ed)?", "guarantee");
		retire("voices?", "leader");
	}

	private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|_");

	private static void retire(String words, String replacement) {
		RETIRED.put(Pattern.compile("\\b(" + words + ")\\b", Pattern.CASE_INSENSITIVE), replacement);
	}

	@Test
	void sourcesUseTheWordsOfTheField() throws IOException {
		assertThat(uses("lock-spring-boot-starter/src/main")).isEmpty();
	}

	@Test
	void sampleUsesTheWordsOfTheField() throws IOException {
		assertThat(uses("sample-app/src/main")).isEmpty();
	}

	@Test
	void benchmarksUseTheWordsOfTheField() throws IOException {
		assertThat(uses("benchmarks/src")).isEmpty();
	}

	@Test
	void pagesUseTheWordsOfTheField() throws IOException {
		assertThat(uses("docs", "README.md", "CONTRIBUTING.md", "SECURITY.md", "sample-app/README.md")).isEmpty();
	}

	@Test
	void retiredWordsAreFound() {
		assertThat(Stream
			.of("Tell others", "tellGranted", "was told", "hasNews", "goes on.", "the hand-over", "handOverLimit")
			.map((line) -> retiredIn(Path.of("file"), line))).allSatisfy((found) -> assertThat(found).hasSize(1));
		assertThat(Stream.of("newStore", "renews", "intellect", "category on", "Oncology", "handoff", "hand-off")
			.flatMap((line) -> retiredIn(Path.of("file"), line).stream())).isEmpty();
	}

	private static List<String> uses(String... places) throws IOException {
		List<String> uses = new ArrayList<>();
		for (String place : places) {
			try (Stream<Path> files = Files.walk(ROOT.resolve(place))) {
				files.filter(Files::isRegularFile)
					.filter((file) -> file.toString().matches(".*\\.(java|json|lua|sql|md|properties|html|js)"))
					.forEach((file) -> lines(file).forEach((line) -> uses.addAll(retiredIn(file, line))));
			}
		}
		return uses;
	}

	private static List<String> lines(Path file) {
		try {
			return Files.readAllLines(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> retiredIn(Path file, String line) {
		String words = HUMP.matcher(line).replaceAll(" ");
		List<String> found = new ArrayList<>();
		RETIRED.forEach((retired, replacement) -> {
			Matcher matcher = retired.matcher(words);
			if (matcher.find()) {
				found.add("%s: '%s' in '%s': say %s".formatted(file.getFileName(), matcher.group(), line.strip(),
						replacement));
			}
		});
		return found;
	}

}
