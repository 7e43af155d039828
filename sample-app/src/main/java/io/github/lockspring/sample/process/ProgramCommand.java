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

package io.github.lockspring.sample.process;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.springframework.core.NativeDetector;

import io.github.lockspring.sample.SampleApplication;

/**
 * How to run this program once more, in a process of its own: from the executable jar,
 * the class path or the native image, whichever this process was started from.
 */
public final class ProgramCommand {

	private ProgramCommand() {
	}

	/**
	 * Return the command.
	 * @param jvmOptions options of the JVM, besides those that keep it small and let it
	 * start fast
	 * @param role the first argument: what the process is to be
	 * @return the command, to which arguments can be added
	 */
	public static List<String> of(List<String> jvmOptions, String role) {
		boolean nativeImage = NativeDetector.inNativeImage();
		List<String> command = new ArrayList<>(nativeImage ? executable() : java());
		command.add("-Xmx256m");
		command.add(ParentProcess.option());
		command.addAll(jvmOptions);
		if (!nativeImage) {
			command.addAll(program(System.getProperty("java.class.path")));
		}
		command.add(role);
		return command;
	}

	private static List<String> executable() {
		return List.of(ProcessHandle.current().info().command().orElseThrow());
	}

	private static List<String> java() {
		return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
				"-XX:TieredStopAtLevel=1");
	}

	private static List<String> program(String classPath) {
		boolean executableJar = classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator);
		return executableJar ? List.of("-jar", classPath)
				: List.of("-cp", classPath, SampleApplication.class.getName());
	}

}
