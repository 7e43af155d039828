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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

/**
 * Change of a class of the starter that breaks it, as a unified diff. The lines before
 * the diff say what kind of fault it is, by which pairs of operations it is to be found,
 * and within how many runs.
 *
 * @param name the name of the file
 * @param lines its lines
 */
record Mutant(String name, List<String> lines) {

	private static final Path FOLDER = Path.of("src/test/resources/mutants");

	private static final String CLASS_PATH = System.getProperty("surefire.test.class.path",
			System.getProperty("java.class.path"));

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

	String pairs() {
		return header("Pairs: ");
	}

	int runs() {
		return Integer.parseInt(header("Runs: "));
	}

	private String header(String prefix) {
		return this.lines.stream()
			.filter((line) -> line.startsWith(prefix))
			.findFirst()
			.map((line) -> line.substring(prefix.length()))
			.orElseThrow();
	}

	/**
	 * Compile the classes with the fault.
	 * @param folder where the class files are written to
	 */
	private void compile(Path folder) throws IOException {
		List<String> arguments = new ArrayList<>(
				List.of("-proc:none", "-nowarn", "-cp", CLASS_PATH, "-d", folder.toString()));
		for (List<String> change : parts(this.lines, "--- a/")) {
			Path source = Path.of("..", change.get(1).substring("+++ b/".length()));
			Path copy = folder.resolve("source").resolve(source.getFileName());
			Files.createDirectories(copy.getParent());
			Files.writeString(copy, patch(Files.readString(source), change));
			arguments.add(copy.toString());
		}
		int result = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
		if (result != 0) {
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

	/**
	 * Look for the fault in a JVM of its own.
	 * @return what the JVM printed
	 */
	String run() throws IOException, InterruptedException {
		Path folder = Path.of("target", "mutants", this.name);
		compile(folder);
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:+EnableDynamicAgentLoading",
				"-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2", "-cp",
				folder + System.getProperty("path.separator") + CLASS_PATH, MutantMain.class.getName(), pairs(),
				String.valueOf(runs()))
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes());
		process.waitFor();
		return output;
	}

	@Override
	public String toString() {
		return this.name;
	}

}
