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

package io.github.lockspring.sample.demo;

import io.github.lockspring.sample.load.LoadResult;
import io.github.lockspring.sample.load.StockClient;
import io.github.lockspring.sample.stock.Strategy;

/**
 * The outcome of one round.
 *
 * @param strategy the strategy
 * @param requests the number of orders
 * @param stock the pieces at the start
 * @param after what the shop says at the end
 * @param load what the customers saw
 */
record Round(Strategy strategy, int requests, int stock, StockClient.Stock after, LoadResult load) {

	/**
	 * Returns the sales that the stock did not notice.
	 * @return the sales recorded, less the pieces gone from the stock
	 */
	int lostUpdates() {
		return this.after.sold() - (this.stock - this.after.remaining());
	}

	/**
	 * Return whether every order was answered, as many pieces were sold as there were
	 * orders and stock for, and the stock agrees.
	 * @return whether it is exact
	 */
	boolean isExact() {
		return this.load.errors().isEmpty() && lostUpdates() == 0
				&& this.after.sold() == Math.min(this.requests, this.stock) && this.after.sold() == this.load.sold();
	}

	/**
	 * Return whether the round ended as its strategy promises.
	 * @return whether it is exact, or need not be
	 */
	boolean isAsExpected() {
		return isExact() || !this.strategy.isExact();
	}

}
