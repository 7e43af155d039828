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

package io.github.lockspring.benchmarks.process;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

import com.sun.management.OperatingSystemMXBean;

/**
 * What this process uses of the machine.
 */
public final class ProcessUse {

	private static final int COLLECTIONS = 3;

	private ProcessUse() {
	}

	/**
	 * The processor time of all threads.
	 * @return nanoseconds
	 */
	public static long cpuNanos() {
		return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
	}

	/**
	 * What is in use of the heap after everything unused was collected.
	 */
	static long heapBytes() {
		MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
		for (int i = 0; i < COLLECTIONS; i++) {
			memory.gc();
		}
		return memory.getHeapMemoryUsage().getUsed();
	}

	static int threads() {
		return ManagementFactory.getThreadMXBean().getThreadCount();
	}

}
