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

import java.util.Locale;

/**
 * What became of a lock.
 */
public enum Verdict {

	/**
	 * No other owner can get it.
	 */
	STUCK("stuck"),

	/**
	 * An owner wrote although a later one was inside already.
	 */
	TWO_INSIDE("two inside"),

	/**
	 * An owner released the lock of its successor.
	 */
	RELEASED_ANOTHER("released the lock of another"),

	/**
	 * It works, and costs more the more owners wait.
	 */
	CROWD("%,.0f requests for one hand-off"),

	/**
	 * One after the other, each of them once.
	 */
	EXACT("exact");

	private final String words;

	Verdict(String words) {
		this.words = words;
	}

	String words(double requests) {
		return String.format(Locale.ROOT, this.words, requests);
	}

}
