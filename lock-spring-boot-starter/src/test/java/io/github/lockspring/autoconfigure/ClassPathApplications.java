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

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Real applications on a class path of their own, in one class loader: to load their
 * classes takes longer than to start them.
 */
final class ClassPathApplications implements AutoCloseable {

	private static final List<String> CLASS_PATH = List
		.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
			.split(File.pathSeparator));

	/**
	 * What Maven has copied.
	 */
	private static final File OTHER_LIBRARIES = new File("target/other-libraries");

	private static final File PREVIOUS_GENERATION = new File("target/previous-generation");

	/**
	 * A web application with JPA, which has a test of its own with all of it.
	 */
	private static final String WEB_WITH_JPA = "spring-(orm|web|webmvc|data-jpa)-|"
			+ "spring-boot-(jpa|hibernate|data-jpa|jackson|web-server|tomcat|http-converter|webmvc|servlet)-|"
			+ "spring-boot-starter-(data-jpa|jdbc|webmvc|jackson|tomcat.*)-|hibernate-|"
			+ "jakarta\\.(persistence|transaction|inject)-|jboss-logging|jaxb-|angus-|txw2|istack|antlr4|tomcat-|"
			+ "jackson-";

	private final URLClassLoader loader;

	ClassPathApplications(Stream<String> classPath) {
		// Looked for once in a JVM, by the class loader of that moment
		DriverManager.drivers().count();
		this.loader = new URLClassLoader(classPath.map(ClassPathApplications::url).toArray(URL[]::new),
				ClassLoader.getPlatformClassLoader());
	}

	private static URL url(String entry) {
		try {
			return Path.of(entry).toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the class path of the tests.
	 */
	static Stream<String> classPath() {
		return CLASS_PATH.stream();
	}

	/**
	 * Return the class path of the tests without some jars and without what a web
	 * application needs.
	 * @param leftOut a pattern of the beginnings of the names of the jars
	 */
	static Stream<String> classPathWithout(String leftOut) {
		List<String> entries = classPath()
			.filter((entry) -> !Path.of(entry)
				.getFileName()
				.toString()
				.matches("(" + leftOut + '|' + WEB_WITH_JPA + ").*\\.jar"))
			.toList();
		assertThat(entries).as("class path without " + leftOut).hasSizeLessThan(CLASS_PATH.size());
		return entries.stream();
	}

	/**
	 * Return jars that no other test has on its class path.
	 * @param name a pattern of their names
	 */
	static Stream<String> otherLibraries(String name) {
		return copied(OTHER_LIBRARIES, name);
	}

	/**
	 * Return the class path of an application with this library and Spring Boot 3.
	 */
	static Stream<String> previousGeneration() {
		Stream<String> own = classPath().filter((entry) -> entry.endsWith("classes"));
		return Stream.concat(own, copied(PREVIOUS_GENERATION, ".*"));
	}

	private static Stream<String> copied(File folder, String name) {
		File[] jars = folder.listFiles((parent, each) -> each.matches(name));
		assertThat(jars).as("what 'mvn generate-test-resources' copies to " + folder).isNotEmpty();
		return Arrays.stream(jars).map(File::getPath);
	}

	Class<?> load(String name) throws ClassNotFoundException {
		return this.loader.loadClass(name);
	}

	/**
	 * Call the method {@code run} of an application.
	 */
	void run(Class<?> application, Stream<String> properties) throws Exception {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		thread.setContextClassLoader(this.loader);
		try {
			Object arguments = Stream.concat(properties, Stream.of("spring.main.banner-mode=off"))
				.toArray(String[]::new);
			load(application.getName()).getMethod("run", String[].class).invoke(null, arguments);
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	@Override
	public void close() throws IOException {
		this.loader.close();
	}

}
