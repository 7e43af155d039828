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

package io.github.lockspring.sample.load;

import java.time.Duration;
import java.util.List;

/**
 * What the customers saw in a round.
 *
 * @param sold the requests answered with "sold"
 * @param resent the requests sent again because the instance died before it answered
 * @param errors why requests ended without an answer
 * @param elapsed the time from the first request to the last answer
 * @param latencies the time of each request from its first sending to its answer
 */
public record LoadResult(int sold, int resent, List<String> errors, Duration elapsed, Latencies latencies) {
}
