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

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

import io.github.lockspring.torture.StoreAddress.ClientType;

/**
 * What the process of a worker is told at its start.
 *
 * @param run the size and the times of the run
 * @param seed the seed of what it does
 * @param process its name
 * @param incarnation how often a process of this name was started before
 * @param store its store
 * @param port the port of the {@link WorkerLine}
 * @param folder the folder for its journal
 * @param defect what is wrong with it
 */
record WorkerSettings(TortureSettings run, long seed, String process, int incarnation, StoreAddress store, int port,
		Path folder, Defect defect) {

	/**
	 * Return the arguments of the program.
	 */
	String[] arguments() {
		return new String[] { "" + this.run.workers(), "" + this.run.threads(), "" + this.run.keys(),
				"" + this.run.lease(), "" + this.run.operationTimeout(), "" + this.run.duration(), "" + this.seed,
				this.process, "" + this.incarnation, this.store.client().name(), this.store.address(), "" + this.port,
				this.folder.toString(), this.defect.name() };
	}

	/**
	 * Read the arguments of the program.
	 */
	static WorkerSettings parse(String[] arguments) {
		int[] numbers = Arrays.stream(arguments, 0, 3).mapToInt(Integer::parseInt).toArray();
		TortureSettings run = new TortureSettings(numbers[0], numbers[1], numbers[2], Duration.parse(arguments[3]),
				Duration.parse(arguments[4]), Duration.parse(arguments[5]));
		return new WorkerSettings(run, Long.parseLong(arguments[6]), arguments[7], Integer.parseInt(arguments[8]),
				new StoreAddress(ClientType.valueOf(arguments[9]), arguments[10]), Integer.parseInt(arguments[11]),
				Path.of(arguments[12]), Defect.valueOf(arguments[13]));
	}

	/**
	 * Return the file for the events of this process.
	 */
	Path journal() {
		return this.folder.resolve(this.process + "-" + this.incarnation + ".journal");
	}

}
