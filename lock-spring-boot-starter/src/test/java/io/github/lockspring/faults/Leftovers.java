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

package io.github.lockspring.faults;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What processes that have ended may leave: no thread, and in the stores what each of
 * them allows.
 */
public final class Leftovers {

	private final Set<Thread> threadsBefore = ours().collect(Collectors.toSet());

	/**
	 * The names of our threads.
	 */
	public static List<String> threads() {
		return ours().map(Thread::getName).sorted().toList();
	}

	private static Stream<Thread> ours() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter(Thread::isAlive)
			.filter((thread) -> thread.getName().startsWith("lock-"));
	}

	/**
	 * Asserts that nothing is left, as soon as everything has had the time to end.
	 * @param stores each asserts that nothing is left in a store
	 */
	public void assertNone(ThrowingCallable... stores) {
		FaultRun.eventually().untilAsserted(() -> assertThat(ours()).isSubsetOf(this.threadsBefore));
		for (ThrowingCallable store : stores) {
			FaultRun.eventually().untilAsserted(store::call);
		}
	}

}
