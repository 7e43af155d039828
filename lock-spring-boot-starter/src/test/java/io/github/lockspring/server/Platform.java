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

import java.util.Locale;

import org.junit.jupiter.api.Assumptions;

/**
 * The system that runs the tests.
 */
final class Platform {

	private Platform() {
	}

	static boolean isArm() {
		return System.getProperty("os.arch").equals("aarch64") || System.getProperty("os.arch").equals("arm64");
	}

	static boolean isRoot() {
		return "root".equals(System.getProperty("user.name"));
	}

	/**
	 * Abort the test if the system is not Linux.
	 * @param server what has programs for Linux only
	 */
	static void requireLinux(String server) {
		boolean linux = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("linux");
		Assumptions.assumeTrue(linux, () -> "No programs of " + server + " for this system");
	}

}
