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

package io.github.lockspring.sample.fault;

import java.time.Duration;

import io.github.lockspring.sample.process.ParentProcess;

/**
 * A process that ends with its parent, and stops itself for three seconds at most.
 */
final class PausingProgram {

	private PausingProgram() {
	}

	public static void main(String[] args) throws InterruptedException {
		ParentProcess.endWithIt();
		HolderPause pause = new HolderPause(Duration.ofSeconds(3));
		pause.arm();
		pause.here();
		Thread.currentThread().join();
	}

}
