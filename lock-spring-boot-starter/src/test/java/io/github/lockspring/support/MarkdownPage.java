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

package io.github.lockspring.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A page of the documentation, read as GitHub reads it.
 *
 * @param file the file
 * @param text its text
 */
public record MarkdownPage(Path file, String text) {

	private static final Pattern PAGE = Pattern.compile(
			"(README[^/]*|CONTRIBUTING|CHANGELOG|SECURITY|sample-app/README|docs/(?!(.*/)?(node_modules|\\.[^/]*)/).*)\\.md");

	private static final Pattern FENCE = Pattern.compile("\\s*(`{3,}|~{3,}).*");

	private static final Pattern CODE_SPAN = Pattern.compile("(`+)[^`]+\\1");

	private static final Pattern TARGET = Pattern
		.compile("\\]\\(<?([^)\\s>]+)|^\\s*\\[(?![/^])[^\\]]+\\]: (\\S+)|\\b(?:src|srcset|href)=\"([^\"\\s]+)");

	private static final Pattern HEADING = Pattern.compile(" {0,3}#{1,6} +(.*?)(?: +#+)? *");

	private static final Pattern NAMED = Pattern.compile("<[^>]*\\b(?:id|name)=\"([^\"]+)\"");

	private static final Pattern LINK = Pattern.compile("!?\\[([^\\]]*)\\]\\([^)]*\\)");

	private static final Pattern NOT_IN_ANCHORS = Pattern.compile("[^\\p{L}\\p{M}\\p{Nd}\\p{Pc}\\- ]");

	private static final Pattern EAST_ASIAN = Pattern.compile("[\\p{IsHan}\\x{3000}-\\x{303F}\\x{FF00}-\\x{FFEF}]");

	/**
	 * Returns the pages of the project.
	 * @param root the folder of the project
	 * @return all pages
	 */
	public static List<MarkdownPage> all(Path root) {
		try (Stream<Path> top = Files.list(root);
				Stream<Path> docs = Files.walk(root.resolve("docs"));
				Stream<Path> sample = Files.list(root.resolve("sample-app"))) {
			return Stream.of(top, docs, sample)
				.flatMap((files) -> files)
				.filter((file) -> PAGE.matcher(root.relativize(file).toString().replace('\\', '/')).matches())
				.sorted()
				.map(MarkdownPage::read)
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Reads a page.
	 * @param file the file
	 * @return the page
	 */
	public static MarkdownPage read(Path file) {
		try {
			return new MarkdownPage(file, Files.readString(file));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns the lines, those of code blocks as empty lines.
	 * @return all lines in order
	 */
	public List<String> linesOutsideCode() {
		List<String> lines = new ArrayList<>();
		String fence = null;
		for (String line : this.text.split("\\R")) {
			boolean code = fence != null;
			Matcher start = FENCE.matcher(line);
			if (code) {
				fence = line.strip().startsWith(fence) ? null : fence;
			}
			else if (start.matches()) {
				fence = start.group(1);
			}
			lines.add((code || fence != null) ? "" : line);
		}
		return lines;
	}

	/**
	 * Returns what the page links to: the targets of links and images, also in HTML.
	 * @return the targets with their lines
	 */
	public Stream<Line> targets() {
		return lines().flatMap((line) -> TARGET.matcher(withoutCode(line.text(), ""))
			.results()
			.map((match) -> new Line(line.number(), firstGroup(match))));
	}

	private static String firstGroup(MatchResult match) {
		return IntStream.rangeClosed(1, match.groupCount())
			.mapToObj(match::group)
			.filter((group) -> group != null)
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Returns the lines outside code blocks.
	 * @return the lines with their numbers
	 */
	public Stream<Line> lines() {
		List<String> lines = linesOutsideCode();
		return IntStream.range(0, lines.size()).mapToObj((i) -> new Line(i + 1, lines.get(i)));
	}

	/**
	 * Replaces the code in a line.
	 * @param line the line
	 * @param replacement the text for each piece of code
	 * @return the remaining text
	 */
	public static String withoutCode(String line, String replacement) {
		return CODE_SPAN.matcher(line).replaceAll(replacement);
	}

	/**
	 * Returns whether a link can lead to a place of this page.
	 * @param anchor the part of the link after {@code #}
	 * @return whether there is such a place
	 */
	public boolean hasAnchor(String anchor) {
		return anchors().contains(URLDecoder.decode(anchor, StandardCharsets.UTF_8));
	}

	/**
	 * Each heading is an anchor: in lower case, without punctuation, with hyphens for
	 * spaces, and with a number if there is such an anchor already.
	 */
	private Set<String> anchors() {
		Set<String> anchors = new HashSet<>();
		lines().forEach((line) -> {
			NAMED.matcher(line.text()).results().map((match) -> match.group(1)).forEach(anchors::add);
			Matcher heading = HEADING.matcher(line.text());
			if (heading.matches()) {
				String anchor = anchorOf(heading.group(1));
				String unique = anchor;
				for (int i = 1; !anchors.add(unique); i++) {
					unique = anchor + '-' + i;
				}
			}
		});
		return anchors;
	}

	private static String anchorOf(String heading) {
		String shown = LINK.matcher(heading).replaceAll("$1").toLowerCase(Locale.ROOT);
		return NOT_IN_ANCHORS.matcher(shown).replaceAll("").replace(' ', '-');
	}

	/**
	 * Returns the length of the page, as {@code wc -w} does; two Chinese characters are a
	 * word, and their punctuation is none.
	 * @return the number of words
	 */
	public long words() {
		long characters = EAST_ASIAN.matcher(this.text).results().filter((match) -> isLetter(match.group())).count();
		String others = EAST_ASIAN.matcher(this.text).replaceAll(" ").strip();
		return (characters + 1) / 2 + (others.isEmpty() ? 0 : others.split("\\s+").length);
	}

	private static boolean isLetter(String character) {
		return Character.isLetter(character.codePointAt(0));
	}

	/**
	 * A line, or a part of it.
	 *
	 * @param number the number of the line, from one on
	 * @param text the text
	 */
	public record Line(int number, String text) {

	}

}
