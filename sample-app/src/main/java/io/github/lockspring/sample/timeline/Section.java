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

package io.github.lockspring.sample.timeline;

import org.jspecify.annotations.Nullable;

/**
 * One stay of a thread in a critical section. Times are milliseconds since 1970, with a
 * fraction.
 *
 * @param instance the name of the instance
 * @param thread the name of the thread
 * @param key what is guarded
 * @param access how many may be inside at once
 * @param start when the thread entered
 * @param end when it left, or when it was last seen inside
 * @param token the fencing token, {@code null} if there is no lock
 * @param outcome how it left, {@code null} if that is not known: it is still inside, or
 * its instance was killed
 */
public record Section(String instance, String thread, String key, Access access, double start, double end,
		@Nullable Long token, @Nullable Outcome outcome) {

	Section left(double end, Outcome outcome) {
		return new Section(this.instance, this.thread, this.key, this.access, this.start, end, this.token, outcome);
	}

	Section seen(double now) {
		return new Section(this.instance, this.thread, this.key, this.access, this.start, now, this.token, null);
	}

}
