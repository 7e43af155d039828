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

package io.github.lockspring.simulator.machine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Sets the seeds of {@link ThreadLocalRandom}, which are fields of each thread.
 */
final class RandomSeeds {

	private static final VarHandle SEED = field("threadLocalRandomSeed", long.class);

	private static final VarHandle PROBE = field("threadLocalRandomProbe", int.class);

	private RandomSeeds() {
	}

	private static VarHandle field(String name, Class<?> type) {
		Replacement.openThreads();
		try {
			return MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
				.findVarHandle(Thread.class, name, type);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Set the seed of a thread that has not been started.
	 */
	static void set(Thread thread, long seed, int number) {
		SEED.set(thread, seed);
		PROBE.set(thread, number | 1); // not 0, which stands for no seed
	}

}
