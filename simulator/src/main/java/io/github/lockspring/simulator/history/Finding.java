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

package io.github.lockspring.simulator.history;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a rule has found in a history.
 *
 * @param rule name of the rule
 * @param message what is wrong, with the numbers of the operations
 * @param lines the lines of the history that show it, in their order
 * @param excepted whether the documentation excepts it, because it began and ended within
 * one lease time after a fault that makes a store forget leases; otherwise it is a
 * violation
 */
public record Finding(String rule, String message, List<Integer> lines, boolean excepted) {

	static Finding violation(String rule, String message, int... lines) {
		return of(rule, message, false, lines);
	}

	static Finding of(String rule, String message, boolean excepted, int... lines) {
		return new Finding(rule, message,
				Arrays.stream(lines).filter((line) -> line >= 0).distinct().sorted().boxed().toList(), excepted);
	}

	/**
	 * Return this finding as text.
	 * @param history the history in which it was found
	 * @return the rule, the message, and the events
	 */
	public String describe(History history) {
		return this.rule + (this.excepted ? " (excepted): " : ": ") + this.message
				+ this.lines.stream()
					.map((line) -> "\n  [" + line + "] " + history.events().get(line))
					.collect(Collectors.joining());
	}

}
