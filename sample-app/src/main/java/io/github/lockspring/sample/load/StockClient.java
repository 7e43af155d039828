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

package io.github.lockspring.sample.load;

import java.io.IOException;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockspring.sample.instance.InstanceClient;
import io.github.lockspring.sample.stock.Strategy;

/**
 * Orders pieces of a product from the instances over HTTP, from each in turn.
 * Thread-safe.
 */
public final class StockClient {

	private final InstanceClient instances;

	public StockClient(InstanceClient instances) {
		this.instances = instances;
	}

	/**
	 * Fills up the stock of a product.
	 */
	public void reset(long productId, int stock) throws IOException, InterruptedException {
		InstanceClient.requireOk(this.instances.send("PUT", "/products/%d?stock=%d".formatted(productId, stock)));
	}

	/**
	 * Orders one piece.
	 * @return whether it was sold
	 * @throws IOException if the connection broke or the lock was not available: the same
	 * order can be sent again
	 * @throws IllegalStateException if the answer was neither sold nor sold out
	 */
	public boolean deduct(long productId, Strategy strategy, String order) throws IOException, InterruptedException {
		return this.instances
			.order("POST", "/products/%d/deduct?strategy=%s&order=%s".formatted(productId, strategy.id(), order))
			.isPresent();
	}

	/**
	 * Asks what the shop knows about a product.
	 */
	public Stock show(long productId) throws IOException, InterruptedException {
		String body = InstanceClient.requireOk(this.instances.send("GET", "/products/" + productId));
		JsonNode product = JsonMapper.shared().readTree(body);
		return new Stock(product.get("stock").asInt(), product.get("sold").asInt());
	}

	/**
	 * What the shop knows about a product.
	 *
	 * @param remaining the pieces left, by the stock
	 * @param sold the pieces sold, by the sales recorded
	 */
	public record Stock(int remaining, int sold) {

	}

}
