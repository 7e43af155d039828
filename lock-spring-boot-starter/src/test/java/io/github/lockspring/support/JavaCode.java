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
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Java code of the documentation, to be compiled. An ellipsis stands for code that does
 * not matter.
 */
public final class JavaCode {

	private static final Pattern IMPORT = Pattern.compile("^import [^;]+;\\n", Pattern.MULTILINE);

	private final String packageName;

	private final String imports;

	/**
	 * Creates a compiler.
	 * @param packageName the package of all classes
	 * @param imports import statements that precede each class
	 */
	public JavaCode(String packageName, String imports) {
		this.packageName = packageName;
		this.imports = imports;
	}

	/**
	 * Returns the blocks of Java code of a page, without the imports that they show.
	 * @param page the file
	 * @return the code of each block
	 */
	public static List<String> blocksOf(Path page) {
		return blocks(page).map((block) -> IMPORT.matcher(block).replaceAll("")).toList();
	}

	/**
	 * Returns the imports that the blocks of a page show.
	 * @param page the file
	 * @return the import statements
	 */
	public static String importsOf(Path page) {
		return blocks(page).flatMap((block) -> IMPORT.matcher(block).results())
			.map(MatchResult::group)
			.distinct()
			.collect(Collectors.joining());
	}

	private static Stream<String> blocks(Path page) {
		return PageBlock.of(page).stream().filter((block) -> block.language().equals("java")).map(PageBlock::text);
	}

	/**
	 * Compiles classes.
	 * @param code the code by the name of its class
	 * @param classes the folder of the compiled classes
	 * @return what loads them
	 * @throws IOException if the folder cannot be used
	 */
	public URLClassLoader compile(Map<String, String> code, Path classes) throws IOException {
		compile(code, classes, System.getProperty("java.class.path"));
		return new URLClassLoader(new URL[] { classes.toUri().toURL() }, JavaCode.class.getClassLoader());
	}

	/**
	 * Compiles classes with a class path of their own.
	 * @param code the code by the name of its class
	 * @param classes the folder of the compiled classes
	 * @param classPath the class path
	 */
	public void compile(Map<String, String> code, Path classes, String classPath) {
		List<JavaSource> sources = code.entrySet()
			.stream()
			.map((each) -> new JavaSource(each.getKey(),
					"package " + this.packageName + ";\n" + this.imports + each.getValue().replace("\u2026", "/* */")))
			.toList();
		StringWriter problems = new StringWriter();
		boolean compiled = ToolProvider.getSystemJavaCompiler()
			.getTask(problems, null, null,
					List.of("-proc:none", "-parameters", "-d", classes.toString(), "-classpath", classPath), null,
					sources)
			.call();
		assertThat(compiled).as(problems.toString()).isTrue();
	}

}
