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

package io.github.lockspring.sample.page;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockspring.sample.lesson.Experiment;
import io.github.lockspring.sample.lesson.Lesson;
import io.github.lockspring.sample.lesson.Outcome;

/**
 * The experiments of the lesson over HTTP.
 */
@RestController
@RequestMapping("/demo/lesson")
@Profile(PageLauncher.PROFILE)
class LessonController {

	private final Lessons lessons;

	private final Visitors visitors;

	LessonController(Lessons lessons, Visitors visitors) {
		this.lessons = lessons;
		this.visitors = visitors;
	}

	@GetMapping
	List<ExperimentState> experiments() {
		return Arrays.stream(Experiment.values()).map(ExperimentState::of).toList();
	}

	/**
	 * Run an experiment and wait for its end, which takes a few seconds.
	 */
	@PostMapping("/{id}")
	ResultState run(@PathVariable String id, HttpServletRequest request) {
		this.visitors.requireAllowed(request);
		return ResultState.of(this.lessons.run(id));
	}

	private static String text(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * An experiment.
	 *
	 * @param id its id
	 * @param store the name of its store
	 * @param fault what is done to the holder
	 * @param code the class of the homemade lock
	 */
	record ExperimentState(String id, String store, String fault, String code) {

		static ExperimentState of(Experiment experiment) {
			return new ExperimentState(experiment.id(), experiment.store().label(), text(experiment.fault()),
					experiment.code());
		}

	}

	/**
	 * The end of an experiment.
	 *
	 * @param id its id
	 * @param homemade what became of the homemade lock
	 * @param starter what became of the lock of the starter
	 */
	record ResultState(String id, OutcomeState homemade, OutcomeState starter) {

		static ResultState of(Lesson.Result result) {
			return new ResultState(result.experiment().id(), OutcomeState.of(result.homemade()),
					OutcomeState.of(result.starter()));
		}

	}

	/**
	 * What became of a lock.
	 *
	 * @param verdict the verdict
	 * @param requests the requests for each hand-off, if they were counted
	 * @param stays who was inside when
	 * @param moments what happened to them
	 */
	record OutcomeState(String verdict, @Nullable Double requests, List<Outcome.Stay> stays,
			List<Outcome.Moment> moments) {

		static OutcomeState of(Outcome outcome) {
			return new OutcomeState(text(outcome.verdict()), outcome.requests(), outcome.stays(), outcome.moments());
		}

	}

}
