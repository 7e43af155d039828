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

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How an experiment ended for one of the locks.
 *
 * @param verdict what became of the lock
 * @param requests the requests to the store for each hand-off, {@code null} where they
 * are not the question
 * @param stays who was inside when
 * @param moments what happened to them
 */
public record Outcome(Verdict verdict, @Nullable Double requests, List<Stay> stays, List<Moment> moments) {

	/**
	 * More of them for a hand-off depend on the number of those that wait.
	 */
	private static final double MOST_REQUESTS = 20;

	static Outcome of(Verdict verdict, Resource resource) {
		return new Outcome(verdict, null, resource.stays(), resource.moments());
	}

	static Outcome ofCrowd(Verdict verdict, double requests) {
		boolean exact = verdict == Verdict.EXACT && requests <= MOST_REQUESTS;
		Verdict ofCrowd = (exact || verdict != Verdict.EXACT) ? verdict : Verdict.CROWD;
		return new Outcome(ofCrowd, requests, List.of(), List.of());
	}

	/**
	 * Return the verdict in the words of the lesson.
	 */
	public String words() {
		Double requests = this.requests;
		return this.verdict.words((requests != null) ? requests : 0);
	}

	/**
	 * A stay inside.
	 *
	 * @param owner who
	 * @param from since when, in milliseconds since 1970
	 * @param to until when
	 * @param outcome {@code done}; {@code lost} if it did not write at its end;
	 * {@code killed}
	 */
	public record Stay(String owner, double from, double to, String outcome) {

	}

	/**
	 * Something that happened.
	 *
	 * @param owner to whom
	 * @param at when, in milliseconds since 1970
	 * @param kind what
	 */
	public record Moment(String owner, double at, String kind) {

	}

}
