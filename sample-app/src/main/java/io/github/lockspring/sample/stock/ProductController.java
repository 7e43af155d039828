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

package io.github.lockspring.sample.stock;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Products over HTTP.
 */
@RestController
@RequestMapping("/products/{id}")
class ProductController {

	private final StockService stock;

	private final ProductRepository products;

	private final SaleRepository sales;

	ProductController(StockService stock, ProductRepository products, SaleRepository sales) {
		this.stock = stock;
		this.products = products;
		this.sales = sales;
	}

	/**
	 * Shows a product.
	 */
	@GetMapping
	ProductStatus show(@PathVariable long id) {
		Product product = this.products.findById(id).orElseThrow(() -> new ProductNotFoundException(id));
		return new ProductStatus(product.name(), product.stock(), this.sales.countByProductId(id));
	}

	/**
	 * Begins anew: fills up the stock of a product and forgets its sales.
	 */
	@PutMapping
	void reset(@PathVariable long id, @RequestParam(defaultValue = "Concert ticket") String name,
			@RequestParam int stock) {
		this.stock.reset(id, name, stock);
	}

	/**
	 * Sells one piece to an order. An order sent again, because its answer was lost, gets
	 * the same piece and no second one.
	 * @return {@code 200} for sold, {@code 409} for sold out
	 */
	@PostMapping("/deduct")
	ResponseEntity<Void> deduct(@PathVariable long id, @RequestParam Strategy strategy, @RequestParam String order) {
		boolean sold = this.sales.existsById(order) || sell(id, strategy, order);
		return ResponseEntity.status(sold ? HttpStatus.OK : HttpStatus.CONFLICT).build();
	}

	private boolean sell(long id, Strategy strategy, String order) {
		try {
			return switch (strategy) {
				case NO_LOCK -> this.stock.deduct(id, order);
				case SYNCHRONIZED -> this.stock.deductSynchronized(id, order);
				case DISTRIBUTED_LOCK -> this.stock.deductWithDistributedLock(id, order);
				case GUARDED_UPDATE -> this.stock.deductWithGuardedUpdate(id, order);
				case SELECT_FOR_UPDATE -> this.stock.deductWithSelectForUpdate(id, order);
				case OPTIMISTIC_VERSION -> this.stock.deductWithVersion(id, order);
			};
		}
		catch (DuplicateKeyException ex) {
			// The same order was under way twice: the other one sold, this one was undone
			return true;
		}
	}

	/**
	 * A product as it is shown.
	 *
	 * @param name what it is called
	 * @param stock the pieces left, by the stock
	 * @param sold the pieces sold, by the sales recorded
	 */
	record ProductStatus(String name, int stock, int sold) {

	}

}
