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

package io.github.lockspring.simulator.cluster;

import java.time.Duration;
import java.util.EnumSet;

import io.github.lockspring.simulator.history.HistoryPicture;
import io.github.lockspring.simulator.machine.Replacement;

/**
 * Draws the history of a short simulation of locks on Redis.
 */
public final class PictureMain {

	private PictureMain() {
	}

	/**
	 * Print the picture.
	 * @param arguments the seed
	 */
	public static void main(String[] arguments) {
		Replacement.install();
		ClusterSettings settings = ClusterSettings.defaults()
			.withProcesses(4, 2, 2)
			.withDuration(Duration.ofSeconds(10))
			.withWorks(EnumSet.of(ClusterWork.LOCKS))
			.withFaults(EnumSet.of(ClusterFault.PROCESS_PAUSED, ClusterFault.PROCESS_KILLED,
					ClusterFault.SERVER_RESTARTED));
		Simulation simulation = new Simulation(Long.parseLong(arguments[0]), settings, SimulatedRedis::new);
		System.out.print(HistoryPicture.draw(simulation.run()));
	}

}
