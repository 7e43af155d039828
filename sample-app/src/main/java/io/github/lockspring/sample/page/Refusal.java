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

import java.util.Locale;

import org.springframework.http.HttpStatus;

/**
 * Why the server refuses what a visitor asks for. The page has a text of its own for each
 * of them, in each language; the sentence is for other clients.
 */
enum Refusal {

	/**
	 * Too many or too few customers at once.
	 */
	THREADS(HttpStatus.BAD_REQUEST, "threads must be a whole number from 1 to {most}, not {value}"),

	/**
	 * Too many or too few requests of each.
	 */
	REQUESTS(HttpStatus.BAD_REQUEST, "requests must be a whole number from 1 to {most}, not {value}"),

	/**
	 * Too many or too few instances.
	 */
	INSTANCES(HttpStatus.BAD_REQUEST, "instances must be a whole number from 1 to {most}, not {value}"),

	/**
	 * Too many requests of all customers together.
	 */
	TOTAL(HttpStatus.BAD_REQUEST, "threads × requests must be at most {most}, not {value}"),

	/**
	 * There is no such scenario.
	 */
	UNKNOWN_SCENARIO(HttpStatus.BAD_REQUEST, "There is no scenario '{scenario}'"),

	/**
	 * The scenario does not have this strategy.
	 */
	UNKNOWN_STRATEGY(HttpStatus.BAD_REQUEST, "The scenario '{scenario}' has no strategy '{strategy}'"),

	/**
	 * There is no such thing to break.
	 */
	UNKNOWN_BREAK(HttpStatus.BAD_REQUEST, "pause, kill or stop-store, not '{kind}'"),

	/**
	 * There is no such instance.
	 */
	UNKNOWN_INSTANCE(HttpStatus.BAD_REQUEST, "There is no instance {instance}"),

	/**
	 * One run at a time.
	 */
	RUN_UNDER_WAY(HttpStatus.CONFLICT, "Another run is under way; wait for its end or cancel it"),

	/**
	 * The instance is starting, paused or killed.
	 */
	NOT_SERVING(HttpStatus.CONFLICT, "Instance {instance} does not serve now; try again in a moment"),

	/**
	 * One break at a time.
	 */
	BROKEN_ALREADY(HttpStatus.CONFLICT, "Something is broken already; wait until it is mended"),

	/**
	 * No instance can be broken.
	 */
	NO_INSTANCE(HttpStatus.CONFLICT, "No instance can do that now; try again in a moment"),

	/**
	 * The first instance must not be broken.
	 */
	SERVES_PAGE(HttpStatus.CONFLICT, "Instance {instance} serves this page"),

	/**
	 * The store is not ours.
	 */
	NOT_STOPPABLE(HttpStatus.CONFLICT, "The store was not started by this application"),

	/**
	 * The number of pages is limited.
	 */
	TOO_MANY_PAGES(HttpStatus.CONFLICT, "{most} pages are open already; close one first"),

	/**
	 * There is no such experiment.
	 */
	UNKNOWN_EXPERIMENT(HttpStatus.NOT_FOUND, "There is no experiment '{experiment}'"),

	/**
	 * One experiment at a time.
	 */
	EXPERIMENT_UNDER_WAY(HttpStatus.CONFLICT, "Another experiment is under way; wait for its end"),

	/**
	 * The store did not start, or the experiment ended by an error.
	 */
	EXPERIMENT_FAILED(HttpStatus.INTERNAL_SERVER_ERROR, "The experiment failed; the log has the reason"),

	/**
	 * Visitors from other machines may only watch.
	 */
	ONLY_LOCAL(HttpStatus.FORBIDDEN,
			"Only visitors on the same machine may break things, unless sample.allow-remote=true");

	private final HttpStatus status;

	private final String sentence;

	Refusal(HttpStatus status, String sentence) {
		this.status = status;
		this.sentence = sentence;
	}

	/**
	 * Return the name in responses and in the texts of the page.
	 */
	String code() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	HttpStatus status() {
		return this.status;
	}

	/**
	 * Return the reason in English, with the names of its arguments in braces.
	 */
	String sentence() {
		return this.sentence;
	}

}
