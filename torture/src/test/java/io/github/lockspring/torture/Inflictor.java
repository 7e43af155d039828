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

import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Lets faults happen, and ends them.
 */
@FunctionalInterface
interface Inflictor {

	/**
	 * Let a fault happen, and end it.
	 * @param step the fault
	 * @param log the log
	 * @return whether it has happened
	 */
	boolean inflict(Step step, FaultLog log) throws InterruptedException;

}
