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

package io.github.lockspring;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import io.github.lockspring.support.Durations;

/**
 * Lets all tests look after 5 ms for what they await, and then less and less often, up to
 * every 100 ms, since to look takes time of a processor that others need; and be as
 * patient as a machine with much else to do requires.
 */
public class AwaitDefaults implements BeforeAllCallback {

	private static final Duration FIRST = Duration.ofMillis(5);

	private static final Duration LONGEST = Duration.ofMillis(100);

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultPollDelay(FIRST);
		Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(AwaitDefaults::longer, FIRST));
		Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
	}

	private static Duration longer(Duration interval) {
		return Durations.min(interval.multipliedBy(3).dividedBy(2), LONGEST);
	}

}
