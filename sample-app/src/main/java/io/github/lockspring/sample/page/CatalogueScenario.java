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
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.context.annotation.Profile;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockspring.sample.instance.InstanceClient;
import io.github.lockspring.sample.load.Load;
import io.github.lockspring.sample.load.LoadResult;
import io.github.lockspring.sample.stock.Strategy;

/**
 * Many readers and a few writers: does a reader see half of a change?
 */
@Component
@Profile(PageLauncher.PROFILE)
@Order(4)
class CatalogueScenario implements Scenario {

	private static final int READS_PER_WRITE = 9;

	@Override
	public String id() {
		return "catalogue";
	}

	@Override
	public List<Strategy> strategies() {
		return WITH_AND_WITHOUT;
	}

	@Override
	public String key(Run run) {
		return "catalogue:" + run.id();
	}

	@Override
	public Findings run(Run run, InstanceClient instances, Meter meter) throws IOException, InterruptedException {
		InstanceClient.requireOk(instances.send("POST", "/catalogue/reset?product=" + run.id()));
		String path = "/catalogue/prices?strategy=%s&product=%d".formatted(run.strategy(), run.id());
		AtomicInteger requests = new AtomicInteger();
		AtomicInteger torn = new AtomicInteger();
		Load load = new Load((id) -> {
			if (requests.getAndIncrement() % (READS_PER_WRITE + 1) == 0) {
				return instances.order("PUT", path).isPresent();
			}
			String body = instances.order("GET", path).orElseThrow();
			if (JsonMapper.shared().readTree(body).get("torn").asBoolean()) {
				torn.incrementAndGet();
			}
			return true;
		});
		LoadResult result = load.run(run.threads(), run.requests(), (done, nanos) -> meter.add(nanos));
		return new Findings(result, RunResult.Figures.ofCatalogue(torn.get()));
	}

}
