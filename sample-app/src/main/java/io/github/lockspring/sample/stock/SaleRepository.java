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

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/**
 * The sales. Each is recorded in the transaction that takes the piece from the stock:
 * both happen or neither.
 */
public interface SaleRepository extends Repository<Sale, String> {

	/**
	 * Return whether an order has its piece.
	 * @param orderId the order
	 * @return whether its sale is recorded
	 */
	boolean existsById(String orderId);

	/**
	 * Counts the pieces sold.
	 * @param productId the product
	 * @return the number of sales recorded
	 */
	int countByProductId(long productId);

	/**
	 * Records a sale. A second sale to the same order fails with
	 * {@link org.springframework.dao.DuplicateKeyException}.
	 * @param orderId the order
	 * @param productId what was sold
	 */
	@Modifying
	@Query("INSERT INTO sale (order_id, product_id) VALUES (:orderId, :productId)")
	void record(String orderId, long productId);

	/**
	 * Forgets the sales of a product.
	 * @param productId the product
	 */
	@Modifying
	@Query("DELETE FROM sale WHERE product_id = :productId")
	void deleteByProductId(long productId);

}
