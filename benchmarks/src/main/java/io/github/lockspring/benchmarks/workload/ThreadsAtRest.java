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
package io.github.lockspring.benchmarks.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.lockspring.benchmarks.application.ApplicationProcess;
import io.github.lockspring.benchmarks.application.StoreApplication;
import io.github.lockspring.benchmarks.report.Figures;

/**
 * Counts how many threads an application has more with a contestant than without one:
 * when it has just been started, and when 8 threads have locked a key each and nothing
 * has happened since then. The names of these threads are written to the error output.
 */
final class ThreadsAtRest implements ApplicationWorkload.Comparison {

	private static final int USERS = 8;

	@Override
	public Figures run(StoreApplication application, String contestant, Duration time) throws InterruptedException {
		try (ApplicationProcess plain = application.startPlain();
				ApplicationProcess locking = application.start(contestant)) {
			int started = locking.threads().size() - plain.threads().size();
			plain.lock(USERS);
			locking.lock(USERS);
			Thread.sleep(time.toMillis());
			List<String> more = without(plain.threads(), locking.threads());
			System.err.println(contestant + " has " + more);
			return new Figures().and("threads at rest", more.size())
				.and("of a kind that the application has as well", ofItsKinds(plain.threads(), more))
				.and("just started", started)
				.and("of the application", plain.threads().size());
		}
	}

	/**
	 * The names of those that the other has not; a number in a name may differ.
	 */
	private static List<String> without(List<String> names, List<String> more) {
		List<String> kinds = new ArrayList<>(names.stream().map(ThreadsAtRest::kind).toList());
		return more.stream().filter((name) -> !kinds.remove(kind(name))).toList();
	}

	private static long ofItsKinds(List<String> names, List<String> more) {
		Set<String> kinds = names.stream().map(ThreadsAtRest::kind).collect(Collectors.toSet());
		return more.stream().map(ThreadsAtRest::kind).filter(kinds::contains).count();
	}

	private static String kind(String name) {
		return name.replaceAll("[0-9]+", "#");
	}

}
