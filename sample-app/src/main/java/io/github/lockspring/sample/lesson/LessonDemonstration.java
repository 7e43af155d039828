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

package io.github.lockspring.sample.lesson;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The lesson in a terminal.
 */
public final class LessonDemonstration {

	private LessonDemonstration() {
	}

	/**
	 * Run all experiments and print a table.
	 * @return 0 if each homemade lock failed as described and that of the starter did
	 * not, else 1
	 */
	public static int run(PrintStream out) throws Exception {
		HolderProgram.quiet();
		List<LessonTable.Row> rows = new ArrayList<>();
		try (Lesson lesson = new Lesson()) {
			for (Experiment experiment : Experiment.values()) {
				out.printf("%s: %s%n", experiment.label(), experiment.fault().words());
				Lesson.Result result = lesson.run(experiment);
				rows.add(new LessonTable.Row(result, lesson.measure(experiment, Side.HOMEMADE),
						lesson.measure(experiment, Side.STARTER)));
			}
		}
		out.printf("%n%s", LessonTable.format(rows));
		return rows.stream().allMatch((row) -> row.result().isAsExpected()) ? 0 : 1;
	}

}
