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

import java.util.List;

/**
 * Prints after how many seeds the faults are found.
 */
public final class MutantMain {

	private MutantMain() {
	}

	/**
	 * Look for faults, or print the table of mutants if there are no arguments.
	 * @param arguments a pattern of the names of mutants, and perhaps the instrument to
	 * use and its argument; the property {@code simulator.seeds} is the maximum number of
	 * seeds
	 * @throws Exception if a mutant cannot be made
	 */
	public static void main(String[] arguments) throws Exception {
		if (arguments.length == 0) {
			Mutant.all().map(Mutant::row).forEach(System.out::println);
			System.exit(0);
		}
		List<Mutant> mutants = Mutant.all().filter((mutant) -> mutant.name().matches(arguments[0])).toList();
		for (Mutant mutant : mutants) {
			long begin = System.nanoTime();
			String result = (arguments.length == 1) ? find(mutant, mutant.instrument(), mutant.argument())
					: find(mutant, Instrument.valueOf(arguments[1]), arguments[2]);
			long millis = (System.nanoTime() - begin) / 1_000_000;
			System.out.println(mutant + " " + result + " of " + mutant.seeds() + " seeds, " + millis + " ms");
		}
		System.exit(0);
	}

	private static String find(Mutant mutant, Instrument instrument, String argument) throws Exception {
		try {
			return String
				.valueOf(mutant.find(instrument, argument, Integer.getInteger("simulator.seeds", mutant.seeds())));
		}
		catch (IllegalStateException ex) {
			return ex.getMessage();
		}
	}

}
