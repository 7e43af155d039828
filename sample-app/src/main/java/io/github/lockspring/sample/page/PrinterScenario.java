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

import java.io.IOException;
import java.util.List;

import org.springframework.context.annotation.Profile;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

import io.github.lockspring.sample.instance.InstanceClient;
import io.github.lockspring.sample.load.Load;
import io.github.lockspring.sample.load.LoadResult;
import io.github.lockspring.sample.stock.Strategy;

/**
 * A resource that two may use at once: do more use it?
 */
@Component
@Profile(PageLauncher.PROFILE)
@Order(3)
class PrinterScenario implements Scenario {

	private static final int PERMITS = 2;

	@Override
	public String id() {
		return "printer";
	}

	@Override
	public List<Strategy> strategies() {
		return WITH_AND_WITHOUT;
	}

	@Override
	public String key(Run run) {
		return "printer:" + run.id();
	}

	@Override
	public int permits() {
		return PERMITS;
	}

	@Override
	public Findings run(Run run, InstanceClient instances, Meter meter) throws IOException, InterruptedException {
		String path = "/printer/print?strategy=%s&office=%d".formatted(run.strategy(), run.id());
		LoadResult load = new Load((id) -> instances.order("POST", path).isPresent()).run(run.threads(), run.requests(),
				(done, nanos) -> meter.add(nanos));
		return new Findings(load, RunResult.Figures.ofPrinter(PERMITS));
	}

}
