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
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.lockspring.benchmarks.application.ApplicationProcess;
import io.github.lockspring.benchmarks.application.StoreApplication;
import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.report.Figures;
import io.github.lockspring.benchmarks.store.Store;

/**
 * How many threads an application of Spring Boot has more with a contestant than without
 * one: when it has just been started, and when 8 threads have locked a key each and
 * nothing has happened since then. The names of these threads are written to the error
 * output.
 */
final class ThreadsAtRestWorkload implements Workload {

	private static final int USERS = 8;

	@Override
	public String name() {
		return "threads-at-rest";
	}

	@Override
	public String description() {
		return "threads of an application that has locked, more than of one that has used the store only";
	}

	@Override
	public boolean admits(Store store, Entrant entrant) {
		StoreApplication application = store.application();
		return application != null && application.contestants().contains(entrant.name());
	}

	@Override
	public Session open(Store store, Entrant entrant) {
		return new RestSession(Objects.requireNonNull(store.application()), entrant.name());
	}

	private static final class RestSession implements Session {

		private final StoreApplication application;

		private final String contestant;

		private RestSession(StoreApplication application, String contestant) {
			this.application = application;
			this.contestant = contestant;
		}

		@Override
		public Figures run(Duration time) throws InterruptedException {
			try (ApplicationProcess plain = this.application.startPlain();
					ApplicationProcess locking = this.application.start(this.contestant)) {
				int started = locking.threads().size() - plain.threads().size();
				plain.lock(USERS);
				locking.lock(USERS);
				Thread.sleep(time.toMillis());
				List<String> more = without(plain.threads(), locking.threads());
				System.err.println(this.contestant + " has " + more);
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
			List<String> kinds = new ArrayList<>(names.stream().map(RestSession::kind).toList());
			return more.stream().filter((name) -> !kinds.remove(kind(name))).toList();
		}

		private static long ofItsKinds(List<String> names, List<String> more) {
			Set<String> kinds = names.stream().map(RestSession::kind).collect(Collectors.toSet());
			return more.stream().map(RestSession::kind).filter(kinds::contains).count();
		}

		private static String kind(String name) {
			return name.replaceAll("[0-9]+", "#");
		}

		@Override
		public void close() {
		}

	}

}
