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
import io.github.lockspring.sample.load.StockClient;
import io.github.lockspring.sample.stock.Strategy;

/**
 * Many customers order the same product at once: is it oversold?
 */
@Component
@Profile(PageLauncher.PROFILE)
@Order(1)
class StockScenario implements Scenario {

	private static final long PRODUCT = 1;

	@Override
	public String id() {
		return "stock";
	}

	@Override
	public List<Strategy> strategies() {
		return List.of(Strategy.values());
	}

	@Override
	public String key(RunRequest request) {
		return "stock:" + PRODUCT;
	}

	@Override
	public StockClient.Stock level(InstanceClient instances) throws IOException, InterruptedException {
		return new StockClient(instances).show(PRODUCT);
	}

	@Override
	public Findings run(RunRequest request, InstanceClient instances, Meter meter)
			throws IOException, InterruptedException {
		StockClient client = new StockClient(instances);
		Strategy strategy = request.parsedStrategy();
		int stock = (int) request.total();
		client.reset(PRODUCT, stock);
		LoadResult load = new Load((order) -> client.deduct(PRODUCT, strategy, order)).run(request.threads(),
				request.requests(), (done, nanos) -> meter.add(nanos));
		StockClient.Stock after = client.show(PRODUCT);
		int lostUpdates = after.sold() - (stock - after.remaining());
		return new Findings(load,
				RunResult.Figures.ofStock(after.sold(), after.remaining(), lostUpdates, after.sold() == stock));
	}

}
