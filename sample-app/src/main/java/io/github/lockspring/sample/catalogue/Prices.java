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

/**
 * The price of the product, as it was read in two places that should agree.
 *
 * @param shop the price in the shop
 * @param web the price on the web
 */
public record Prices(int shop, int web) {

	/**
	 * Return whether one was read before and the other one after a change.
	 * @return whether they differ
	 */
	public boolean isTorn() {
		return this.shop != this.web;
	}

}
