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

package io.github.lockspring.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.springframework.util.ClassUtils;

/**
 * A program of the class path that runs in a JVM of its own, also if the class path is an
 * executable jar of Spring Boot.
 */
public final class JavaProgram {

	/**
	 * On the class path of an executable jar only.
	 */
	private static final String LAUNCHER = "org.springframework.boot.loader.launch.PropertiesLauncher";

	private JavaProgram() {
	}

	/**
	 * Return how to run a program.
	 * @param jvmOptions options of the JVM
	 * @param mainClass the name of its main class
	 * @param arguments its arguments
	 * @return the command
	 */
	public static String[] command(List<String> jvmOptions, String mainClass, String... arguments) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(jvmOptions);
		boolean executableJar = ClassUtils.isPresent(LAUNCHER, null);
		if (executableJar) {
			command.add("-Dloader.main=" + mainClass);
		}
		command.addAll(List.of("-cp", classPath(), executableJar ? LAUNCHER : mainClass));
		command.addAll(List.of(arguments));
		return command.toArray(String[]::new);
	}

	private static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

}
