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

package io.github.lockspring.sample.catalogue;

import java.util.concurrent.ThreadLocalRandom;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockspring.sample.stock.Strategy;

/**
 * The prices over HTTP.
 */
@RestController
@RequestMapping("/catalogue")
class CatalogueController {

	private final CatalogueService catalogue;

	CatalogueController(CatalogueService catalogue) {
		this.catalogue = catalogue;
	}

	/**
	 * Begins anew, with prices of a product that agree.
	 */
	@PostMapping("/reset")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void reset(@RequestParam(defaultValue = "1") long product) {
		this.catalogue.reset(product);
	}

	/**
	 * Reads the prices of a product and returns whether they differ.
	 */
	@GetMapping("/prices")
	Reading read(@RequestParam Strategy strategy, @RequestParam(defaultValue = "1") long product) {
		Prices prices = strategy.isLocked() ? this.catalogue.readWithLock(product) : this.catalogue.read(product);
		return new Reading(prices.isTorn());
	}

	/**
	 * Writes another price.
	 */
	@PutMapping("/prices")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void write(@RequestParam Strategy strategy, @RequestParam(defaultValue = "1") long product) {
		int amount = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
		if (strategy.isLocked()) {
			this.catalogue.writeWithLock(product, amount);
		}
		else {
			this.catalogue.write(product, amount);
		}
	}

	/**
	 * What a reader has seen.
	 *
	 * @param torn whether the prices differed
	 */
	record Reading(boolean torn) {

	}

}
