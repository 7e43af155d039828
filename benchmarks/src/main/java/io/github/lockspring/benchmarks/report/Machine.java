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

package io.github.lockspring.benchmarks.report;

import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.time.LocalDate;

/**
 * The machine that figures come from.
 */
public final class Machine {

	private Machine() {
	}

	/**
	 * Describes it on one line, with the load that it has before the measurements.
	 * @return a text to go with the figures
	 */
	public static String describe() {
		OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
		return "%s: %d processors, %s %s, JDK %s; load before: %.1f".formatted(LocalDate.now(),
				system.getAvailableProcessors(), system.getName(), system.getVersion(),
				System.getProperty("java.version"), system.getSystemLoadAverage());
	}

}
