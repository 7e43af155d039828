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
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.github.lockspring.server.Torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests that the speed at which tests run is notified by the names of their classes and
 * by {@link Torture}, and that what {@link Torture} leaves out of a usual build is tested
 * there as it says.
 */
class SpeedTests {

	private static final Pattern TORTURE = Pattern.compile("@Torture\\(alsoIn = ([^)]*)\\)");

	private static final Pattern NAME = Pattern.compile("\"(\\w+)(?:([.#])(\\w+))?\"");

	private static final Pattern TAG = Pattern.compile("@Tag\\((?!(?:\\w+\\.)?EVERYWHERE)[^)]*\\)");

	private final Map<String, String> sources = sources();

	@Test
	void testsThatAreLeftOutAreAlsoInTestsOfEveryBuild() {
		int count = 0;
		for (Map.Entry<String, String> source : this.sources.entrySet()) {
			Matcher torture = TORTURE.matcher(source.getValue());
			while (torture.find()) {
				Matcher name = NAME.matcher(torture.group(1));
				while (name.find()) {
					count++;
					assertThatRuns(name.group(1), name.group(2), name.group(3), source.getKey());
				}
			}
		}
		assertThat(count).isGreaterThan(50);
	}

	private void assertThatRuns(String type, String kind, String member, String source) {
		assertThat(this.sources).as("%s, which %s names", type, source).containsKey(type);
		assertThat(type).as("what %s names", source).endsWith("Tests").doesNotEndWith("TortureTests");
		if (member != null) {
			String declaration = (kind.equals("#") ? "[>d] " : "class ") + member + "\\b";
			String text = this.sources.get(type) + superclassOf(this.sources.get(type));
			String before = text.split(declaration, 2)[0];
			assertThat(before).as("%s%s%s, which %s names", type, kind, member, source).isNotEqualTo(text);
			String annotations = before.substring(Math.max(before.lastIndexOf("\n\n"), 0));
			assertThat(annotations).as("%s%s%s, which %s names", type, kind, member, source).doesNotContain("@Torture");
		}
	}

	@Test
	void classesNamedTortureTestsAreAlsoInOthers() {
		this.sources.forEach((name, source) -> {
			if (name.endsWith("TortureTests")) {
				assertThat(source + superclassOf(source)).as(name).contains("@Torture(");
			}
		});
	}

	private String superclassOf(String source) {
		Matcher superclass = Pattern.compile("class \\w+ extends (\\w+)").matcher(source);
		return superclass.find() ? this.sources.getOrDefault(superclass.group(1), "") : "";
	}

	@Test
	void thereAreNoOtherTags() {
		Map<String, String> others = new TreeMap<>(this.sources);
		others.remove("Torture");
		others.forEach((name, source) -> assertThat(TAG.matcher(source).results()).as(name).isEmpty());
	}

	private static Map<String, String> sources() {
		Map<String, String> sources = new TreeMap<>();
		assertThatNoException().isThrownBy(() -> {
			for (String module : new String[] { "lock-spring-boot-starter", "sample-app" }) {
				try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "test", "java"))) {
					files.filter((file) -> file.toString().endsWith(".java"))
						.forEach((file) -> sources.put(file.getFileName().toString().replace(".java", ""),
								contentOf(file)));
				}
			}
		});
		return sources;
	}

	private static String contentOf(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
