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

package io.github.lockspring.simulator.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

/**
 * Change of the starter that breaks it, as a unified diff. The lines before the diff say
 * what is wrong, which {@linkplain Instrument instrument} finds it, within how many
 * seeds, and which tests of the starter pass with it.
 *
 * @param name the name of the file
 * @param lines its lines
 */
record Mutant(String name, List<String> lines) {

	private static final Path FOLDER = Path.of("src/test/resources/mutants");

	static Stream<Mutant> all() throws IOException {
		return Files.list(FOLDER).sorted().map(Mutant::read);
	}

	private static Mutant read(Path file) {
		try {
			return new Mutant(file.getFileName().toString(), Files.readAllLines(file));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return the instrument that finds the fault.
	 */
	Instrument instrument() {
		return Stream.of(Instrument.values())
			.filter((instrument) -> header(instrument.header()).findAny().isPresent())
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Return what the instrument is to look at.
	 */
	String argument() {
		return header(instrument().header()).findFirst().orElseThrow();
	}

	/**
	 * Return the number of seeds within which the fault is found.
	 */
	int seeds() {
		return header("Seeds: ").mapToInt(Integer::parseInt).findFirst().orElse(1);
	}

	/**
	 * Return the line of the table of mutants.
	 */
	String row() {
		String instrument = instrument().name().toLowerCase(Locale.ROOT);
		String store = (instrument() == Instrument.CLUSTER) ? " on " + argument().split(" ")[0] : "";
		return "| `%s` | %s | %s | %d | %s |".formatted(this.name.replace(".patch", ""),
				header("Mutant: ").findFirst().orElseThrow(), instrument + store, seeds(), passed());
	}

	/**
	 * Return which tests of the starter were run with the fault and did not notice it, or
	 * an empty text if that is not known.
	 */
	private String passed() {
		return header("Passed: ").findFirst().orElse("");
	}

	/**
	 * Return whether the fault is looked for in each build.
	 */
	boolean isSmoke() {
		return header("Smoke: ").findAny().isPresent();
	}

	private Stream<String> header(String prefix) {
		return this.lines.stream()
			.takeWhile((line) -> !line.startsWith("---"))
			.filter((line) -> line.startsWith(prefix))
			.map((line) -> line.substring(prefix.length()));
	}

	/**
	 * Look for the fault.
	 * @param instrument the instrument
	 * @param argument its argument
	 * @param seeds the maximum number of seeds
	 * @return the number of seeds after which it was found, or 0 if it was not
	 * @throws IllegalStateException if the same is found without the fault
	 */
	int find(Instrument instrument, String argument, int seeds) throws IOException, ReflectiveOperationException {
		Path folder = Path.of("target", "mutants", this.name);
		change(folder);
		int found = find(folder, instrument, argument, 0, seeds);
		if (found > 0 && find(folder.resolve("nothing"), instrument, argument, found - 1, found) > 0) {
			throw new IllegalStateException("The seed with which " + this.name + " is found fails without it");
		}
		return found;
	}

	private static int find(Path changed, Instrument instrument, String argument, int from, int to)
			throws IOException, ReflectiveOperationException {
		try (MutantLoader loader = new MutantLoader(changed)) {
			return (int) loader.loadClass(Instrument.class.getName())
				.getMethod("find", String.class, String.class, int.class, int.class)
				.invoke(null, instrument.name(), argument, from, to);
		}
	}

	/**
	 * Compile the classes with the fault, and write the other files that have it.
	 * @param folder where they are written to
	 */
	private void change(Path folder) throws IOException {
		List<String> arguments = new ArrayList<>(
				List.of("-proc:none", "-nowarn", "-cp", MutantLoader.CLASS_PATH, "-d", folder.toString()));
		for (List<String> change : parts(this.lines, "--- a/")) {
			Path source = Path.of("..", change.get(1).substring("+++ b/".length()));
			boolean compiled = source.toString().endsWith(".java");
			Path copy = folder.resolve(compiled ? Path.of("source").resolve(source.getFileName()) : resource(source));
			Files.createDirectories(copy.getParent());
			Files.writeString(copy, patch(Files.readString(source), change));
			if (compiled) {
				arguments.add(copy.toString());
			}
		}
		compile(arguments);
	}

	private static Path resource(Path source) {
		String path = source.toString();
		return Path.of(path.substring(path.indexOf("/resources/") + "/resources/".length()));
	}

	private void compile(List<String> arguments) {
		if (arguments.get(arguments.size() - 1).endsWith(".java")
				&& ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)) != 0) {
			throw new IllegalStateException(this.name + " does not compile");
		}
	}

	private String patch(String source, List<String> change) {
		String patched = source;
		for (List<String> hunk : parts(change, "@@")) {
			List<String> body = hunk.subList(1, hunk.size());
			patched = replace(patched, text(body, '-'), text(body, '+'));
		}
		return patched;
	}

	/**
	 * Return the parts that begin with lines of a kind, without what is before them.
	 */
	private static List<List<String>> parts(List<String> lines, String prefix) {
		int[] begins = IntStream.range(0, lines.size()).filter((i) -> lines.get(i).startsWith(prefix)).toArray();
		return IntStream.range(0, begins.length)
			.mapToObj((i) -> lines.subList(begins[i], (i + 1 < begins.length) ? begins[i + 1] : lines.size()))
			.toList();
	}

	private static String text(List<String> hunk, char side) {
		return hunk.stream()
			.filter((line) -> line.isEmpty() || line.charAt(0) == ' ' || line.charAt(0) == side)
			.map((line) -> line.isEmpty() ? "\n" : line.substring(1) + "\n")
			.collect(Collectors.joining());
	}

	private String replace(String source, String before, String after) {
		int index = source.indexOf(before);
		if (index < 0 || source.indexOf(before, index + 1) >= 0) {
			throw new IllegalStateException(this.name + " does not apply: there must be one place with\n" + before);
		}
		return source.substring(0, index) + after + source.substring(index + before.length());
	}

	@Override
	public String toString() {
		return this.name;
	}

}
