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
 * Many customers order the same product at once: is it oversold? The number of the
 * product is that of the run.
 */
@Component
@Profile(PageLauncher.PROFILE)
@Order(1)
class StockScenario implements Scenario {

	private static final long WARM_UP_PRODUCT = 1_000_000;

	private volatile boolean warmedUp;

	@Override
	public String id() {
		return "stock";
	}

	@Override
	public List<Strategy> strategies() {
		return List.of(Strategy.values());
	}

	@Override
	public String key(Run run) {
		return "stock:" + run.id();
	}

	@Override
	public boolean hasStock() {
		return true;
	}

	@Override
	public StockClient.Stock level(Run run, InstanceClient instances) throws IOException, InterruptedException {
		return new StockClient(instances).show(run.id());
	}

	@Override
	public Findings run(Run run, InstanceClient instances, Meter meter) throws IOException, InterruptedException {
		StockClient client = new StockClient(instances);
		warmUp(run, client);
		Strategy strategy = Strategy.of(run.strategy());
		int stock = (int) run.total();
		client.reset(run.id(), stock);
		LoadResult load = new Load((order) -> client.deduct(run.id(), strategy, order)).run(run.threads(),
				run.requests(), (done, nanos) -> meter.add(nanos));
		StockClient.Stock after = client.show(run.id());
		int lostUpdates = after.sold() - (stock - after.remaining());
		return new Findings(load,
				RunResult.Figures.ofStock(after.sold(), after.remaining(), lostUpdates, after.sold() == stock));
	}

	/**
	 * Let customers order a little before the first run, so that all instances have
	 * warmed up.
	 */
	private void warmUp(Run run, StockClient client) throws IOException, InterruptedException {
		if (this.warmedUp) {
			return;
		}
		client.reset(WARM_UP_PRODUCT, (int) run.total());
		new Load((order) -> client.deduct(WARM_UP_PRODUCT, Strategy.GUARDED_UPDATE, order)).run(run.threads(),
				Math.max(1, run.requests() / 5), (done, nanos) -> {
				});
		client.reset(WARM_UP_PRODUCT, 0);
		this.warmedUp = true;
	}

	/**
	 * Forget the sales, and leave nothing to requests that are still under way.
	 */
	@Override
	public void tidyUp(Run run, InstanceClient instances) throws IOException, InterruptedException {
		new StockClient(instances).reset(run.id(), 0);
	}

}
