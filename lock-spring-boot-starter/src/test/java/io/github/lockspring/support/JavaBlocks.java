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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

import com.sun.source.util.JavacTask;

/**
 * The Java code on pages, which one run of the compiler checks. The classes of a page are
 * in one package. A block has the imports that its page has shown up to there; it is
 * types, members of a class or statements. What {@code // before} and {@code // after}
 * precede are blocks of their own. An ellipsis stands for code that does not matter.
 */
public final class JavaBlocks {

	private static final Pattern IMPORT = Pattern.compile("(?m)^import [^;]+;");

	private static final Pattern IMPORT_OF_LIBRARY = Pattern.compile("import (static )?io\\.github\\.lockspring\\..*");

	private static final Pattern PART = Pattern.compile("(?m)^(?=// (?:before|after)$)");

	/**
	 * What is around types, members and statements. An annotation at the end of the
	 * members is that of a method.
	 */
	private static final List<String> SHAPES = List.of("%s", "class Block%2$d extends Beans {%1$s void omitted() { } }",
			"class Block%2$d extends Beans { Object run() throws Exception { if (true) {%1$s} return null; } }");

	private final String surroundings;

	private final String imports;

	private final List<String> options;

	/**
	 * Creates a compiler.
	 * @param surroundings a source file in the package {@code pages}, with what pages use
	 * without declaring it: types, the variables of a class {@code Beans} and the methods
	 * of a class {@code Calls}. Pages have the imports of this file, but must show those
	 * of this library.
	 * @param classPath the class path
	 */
	public JavaBlocks(String surroundings, String classPath) {
		this.surroundings = surroundings;
		this.imports = importsOf(surroundings).stream()
			.filter((line) -> !IMPORT_OF_LIBRARY.matcher(line).matches())
			.collect(Collectors.joining()) + "import pages.*;import static pages.Beans.*;import static pages.Calls.*;";
		this.options = List.of("--release", "17", "-proc:none", "-Xmaxerrs", "10000", "-XDshould-stop.ifError=FLOW",
				"-classpath", classPath);
	}

	/**
	 * Compiles blocks.
	 * @param blocks the blocks, in their order
	 * @return the errors, each with its page and line
	 */
	public List<String> errorsIn(List<PageBlock> blocks) {
		List<JavaFileObject> sources = new ArrayList<>();
		Map<JavaFileObject, Part> parts = new LinkedHashMap<>();
		List<Part> others = partsOf(blocks);
		List<String> errors = List.of();
		for (String shape : SHAPES) {
			Map<JavaFileObject, Part> parsed = new LinkedHashMap<>();
			others.forEach((part) -> parsed.put(part.source(shape), part));
			List<Diagnostic<? extends JavaFileObject>> wrong = check(parsed.keySet(), JavacTask::parse);
			errors = wrong.stream().map((error) -> describe(error, parsed)).toList();
			others = wrong.stream().map((error) -> parsed.get(error.getSource())).distinct().toList();
			parsed.values().removeAll(others);
			parts.putAll(parsed);
		}
		if (!errors.isEmpty()) {
			return errors;
		}
		sources.addAll(parts.keySet());
		sources.add(new JavaSource("surroundings", this.surroundings));
		return check(sources, JavacTask::analyze).stream().map((error) -> describe(error, parts)).toList();
	}

	private static String describe(Diagnostic<? extends JavaFileObject> error, Map<JavaFileObject, Part> parts) {
		Part part = parts.get(error.getSource());
		String place = (part != null)
				? part.page().subpath(1, part.page().getNameCount()) + ":" + (part.line() + error.getLineNumber() - 1)
				: error.getSource() + ":" + error.getLineNumber();
		return place + ": " + error.getMessage(null);
	}

	private List<Diagnostic<? extends JavaFileObject>> check(Iterable<JavaFileObject> sources, Step step) {
		DiagnosticCollector<JavaFileObject> messages = new DiagnosticCollector<>();
		try {
			step.run((JavacTask) ToolProvider.getSystemJavaCompiler()
				.getTask(null, null, messages, this.options, null, sources));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return messages.getDiagnostics()
			.stream()
			.filter((message) -> message.getKind() == Diagnostic.Kind.ERROR)
			.toList();
	}

	private List<Part> partsOf(List<PageBlock> blocks) {
		List<Part> parts = new ArrayList<>();
		Map<Path, Set<String>> imports = new LinkedHashMap<>();
		for (PageBlock block : blocks) {
			Set<String> shown = imports.computeIfAbsent(block.page(), (page) -> new LinkedHashSet<>());
			shown.addAll(importsOf(block.text()));
			String head = "package " + packageOf(block.page()) + ";" + this.imports + String.join("", shown);
			int line = block.line();
			for (String code : PART.split(IMPORT.matcher(block.text()).replaceAll(""))) {
				parts.add(new Part(block.page(), line, head, code));
				line += (int) code.chars().filter((character) -> character == '\n').count();
			}
		}
		parts.removeIf((part) -> part.code().isBlank());
		return parts;
	}

	private static String packageOf(Path page) {
		return "pages." + page.toString().replaceAll("\\W+", "_");
	}

	private static Set<String> importsOf(String code) {
		return IMPORT.matcher(code)
			.results()
			.map(MatchResult::group)
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	/**
	 * Code that is compiled on its own.
	 *
	 * @param page the page
	 * @param line the line before the code
	 * @param head the package and the imports
	 * @param code the code
	 */
	private record Part(Path page, int line, String head, String code) {

		/**
		 * The second line of the source file is the first line of the code.
		 */
		JavaSource source(String shape) {
			String complete = this.code.replace("{ \u2026 }", "{ throw new UnsupportedOperationException(); }")
				.replace("\u2026", "/* */");
			return new JavaSource("Block", this.head + shape.formatted('\n' + complete + '\n', this.line));
		}

	}

	/**
	 * What the compiler does.
	 */
	private interface Step {

		void run(JavacTask compiler) throws IOException;

	}

}
