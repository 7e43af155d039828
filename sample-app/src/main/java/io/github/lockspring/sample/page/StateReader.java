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

import java.util.Arrays;
import java.util.List;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import io.github.lockspring.sample.load.Machine;
import io.github.lockspring.sample.page.State.InstanceState;
import io.github.lockspring.sample.page.State.ScenarioState;
import io.github.lockspring.sample.page.State.StoreState;
import io.github.lockspring.sample.page.State.StrategyState;
import io.github.lockspring.sample.stock.Strategy;
import io.github.lockspring.sample.store.Store;

/**
 * Reads the state for a page.
 */
@Component
@Profile(PageLauncher.PROFILE)
class StateReader {

	private final Store store;

	private final PageSettings settings;

	private final Cluster cluster;

	private final List<Scenario> scenarios;

	private final Runs runs;

	StateReader(Store store, PageSettings settings, Cluster cluster, List<Scenario> scenarios, Runs runs) {
		this.store = store;
		this.settings = settings;
		this.cluster = cluster;
		this.scenarios = scenarios;
		this.runs = runs;
	}

	State read(boolean remote) {
		return new State(new StoreState(this.store.name(), this.store.isStoppable()), Machine.current(),
				Limits.of(this.settings.instances()), !remote || this.settings.allowRemote(),
				this.cluster.members().stream().map(InstanceState::of).toList(),
				Arrays.stream(Strategy.values())
					.map((strategy) -> new StrategyState(strategy.id(), strategy.label(), strategy.isExact()))
					.toList(),
				this.scenarios.stream()
					.map((scenario) -> new ScenarioState(scenario.id(),
							scenario.strategies().stream().map(Strategy::id).toList(), scenario.hasCustomers(),
							scenario.hasStock()))
					.toList(),
				this.runs.current(), this.runs.ended());
	}

}
