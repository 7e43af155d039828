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

/**
 * The process that started this one with {@link ProgramCommand}.
 */
public final class ParentProcess {

	private static final String PROPERTY = "sample.parent";

	private ParentProcess() {
	}

	/**
	 * Return the option of the JVM that names this process as the parent.
	 */
	static String option() {
		return "-D" + PROPERTY + "=" + ProcessHandle.current().pid();
	}

	/**
	 * Have this process end with its parent, even if that is killed. Does nothing if it
	 * was not started by another one.
	 */
	public static void endWithIt() {
		Long pid = Long.getLong(PROPERTY);
		if (pid == null) {
			return;
		}
		ProcessHandle.of(pid)
			.ifPresentOrElse((parent) -> parent.onExit().thenRun(ParentProcess::halt), ParentProcess::halt);
	}

	private static void halt() {
		Runtime.getRuntime().halt(1);
	}

}
