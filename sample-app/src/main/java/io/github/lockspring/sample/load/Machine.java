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

package io.github.lockspring.sample.load;

/**
 * The machine that figures were measured on.
 *
 * @param processors the number of processors
 * @param os the operating system and its version
 * @param jdk the version of the JDK
 */
public record Machine(int processors, String os, String jdk) {

	/**
	 * Return this machine.
	 */
	public static Machine current() {
		return new Machine(Runtime.getRuntime().availableProcessors(),
				System.getProperty("os.name") + ' ' + System.getProperty("os.version"),
				System.getProperty("java.version"));
	}

	/**
	 * Describe it on one line.
	 * @return a sentence to go with the figures
	 */
	public String describe() {
		return "Measured on %d processors, which all processes and the store share; %s, JDK %s"
			.formatted(this.processors, this.os, this.jdk);
	}

}
