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

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.sample.load.Machine;

/**
 * What the page shows before and between runs.
 *
 * @param store the store of the locks
 * @param limits what a visitor may ask for
 * @param mayBreak whether this visitor may break things
 * @param instances the instances
 * @param strategies all strategies
 * @param scenarios all scenarios
 * @param run the run that is under way
 * @param runs the latest runs that ended, the last one last
 */
record State(StoreState store, Machine machine, Limits limits, boolean mayBreak, List<InstanceState> instances,
		List<StrategyState> strategies, List<ScenarioState> scenarios, @Nullable Run run, List<Run> runs) {

	record StoreState(String name, boolean stoppable) {

	}

	record InstanceState(String name, @Nullable String address, String state, boolean breakable) {

		static InstanceState of(Member member) {
			boolean started = member.state() == Member.State.SERVING || member.state() == Member.State.PAUSED;
			return new InstanceState(member.name(), started ? member.address() : null,
					member.state().name().toLowerCase(Locale.ROOT), member.isBreakable());
		}

	}

	record StrategyState(String id, String label, boolean exact) {

	}

	/**
	 * A scenario.
	 *
	 * @param id its id
	 * @param strategies the ids of its strategies
	 * @param customers whether customers send requests
	 * @param stock whether there is a stock
	 */
	record ScenarioState(String id, List<String> strategies, boolean customers, boolean stock) {

	}

}
