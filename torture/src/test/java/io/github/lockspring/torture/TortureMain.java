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

package io.github.lockspring.torture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.simulator.history.Finding;
import io.github.lockspring.simulator.history.History;
import io.github.lockspring.simulator.history.Report;

/**
 * Tortures one store.
 */
final class TortureMain {

	private TortureMain() {
	}

	/**
	 * Torture one store, and print what was found.
	 * @param arguments the {@link StoreType}, the seed, the seconds for which faults
	 * begin, and perhaps a {@link Defect} of the workers, with which there are no faults
	 */
	public static void main(String[] arguments) throws Exception {
		FaultRun.silence();
		StoreType type = StoreType.valueOf(arguments[0]);
		long seed = Long.parseLong(arguments[1]);
		Duration duration = Duration.ofSeconds(Long.parseLong(arguments[2]));
		Outcome outcome = (arguments.length == 3) ? torture(type, seed, duration)
				: torture(type, seed, duration, Defect.valueOf(arguments[3]));
		System.exit(outcome.violations().isEmpty() ? 0 : 1);
	}

	/**
	 * Torture one store with random faults.
	 */
	static Outcome torture(StoreType type, long seed, Duration duration) throws Exception {
		try (TortureRun run = new TortureRun(type, seed, TortureSettings.of(duration), Defect.NONE)) {
			TortureSchedule schedule = run.randomSchedule();
			return torture(run, type + "-" + seed, schedule);
		}
	}

	/**
	 * Let workers with a defect lock on one store, without faults.
	 */
	static Outcome torture(StoreType type, long seed, Duration duration, Defect defect) throws Exception {
		try (TortureRun run = new TortureRun(type, seed, TortureSettings.of(duration), defect)) {
			return torture(run, type + "-" + defect, new TortureSchedule(List.of()));
		}
	}

	/**
	 * Torture one store. If that breaks a rule, the history and the output of the workers
	 * are kept.
	 */
	static Outcome torture(TortureRun run, String name, TortureSchedule schedule) throws Exception {
		long start = System.nanoTime();
		History history = run.run(schedule);
		Report report = run.check(history);
		System.out.printf("%s, %d s%n%s%n%s%n", name, (System.nanoTime() - start) / 1_000_000_000, report,
				run.log().counts());
		report.violations().forEach((violation) -> System.out.println(violation.describe(history)));
		if (!report.violations().isEmpty()) {
			keep(run, Path.of("target", "torture", name), schedule, history);
		}
		Set<TortureFault> missing = run.possibleFaults();
		missing.removeAll(run.log().counts().keySet());
		return new Outcome(report, missing);
	}

	private static void keep(TortureRun run, Path folder, TortureSchedule schedule, History history)
			throws IOException {
		Files.createDirectories(folder);
		Files.writeString(folder.resolve("schedule"), schedule.toString());
		Files.writeString(folder.resolve("history"), history.toString());
		for (String output : run.outputs()) {
			Files.writeString(folder.resolve(output), Files.readString(run.folder().resolve(output)));
		}
	}

	/**
	 * What was found, and what did not happen.
	 *
	 * @param report the findings and numbers
	 * @param missing the kinds of faults that are possible and did not happen
	 */
	record Outcome(Report report, Set<TortureFault> missing) {

		List<Finding> violations() {
			return this.report.violations();
		}

	}

}
