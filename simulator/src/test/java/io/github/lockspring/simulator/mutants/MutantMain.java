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

package io.github.lockspring.simulator.mutants;

import io.github.lockspring.simulator.machine.Replacement;
import io.github.lockspring.simulator.threads.Trials;

/**
 * Runs pairs of operations until one of them finds the fault of a mutant.
 */
public final class MutantMain {

	static final String FOUND = "Found after";

	private static final long FIRST_SEED = 5000;

	private MutantMain() {
	}

	/**
	 * Run pairs.
	 * @param arguments a pattern of pairs, and the maximum number of runs
	 */
	public static void main(String[] arguments) {
		Replacement.install();
		int runs = Trials.runsToFailure(FIRST_SEED, arguments[0], Integer.parseInt(arguments[1]));
		System.out.println((runs > 0) ? FOUND + " " + runs + " runs" : "Not found");
		System.exit(0);
	}

}
