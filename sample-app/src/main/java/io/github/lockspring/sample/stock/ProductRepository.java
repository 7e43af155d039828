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

import java.util.Optional;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.relational.core.sql.LockMode;
import org.springframework.data.relational.repository.Lock;
import org.springframework.data.repository.CrudRepository;

/**
 * The products. {@code save} writes a product only if it was not saved since it was read:
 * it compares the version.
 */
public interface ProductRepository extends CrudRepository<Product, Long> {

	/**
	 * Reads a product with {@code SELECT … FOR UPDATE}: until the transaction ends, other
	 * readers of this kind wait.
	 * @param id the number of the product
	 * @return the product
	 */
	@Lock(LockMode.PESSIMISTIC_WRITE)
	Optional<Product> findWithLockById(long id);

	/**
	 * Writes the number of pieces left, whatever it was before.
	 * @param id the number of the product
	 * @param stock the pieces left
	 */
	@Modifying
	@Query("UPDATE product SET stock = :stock WHERE id = :id")
	void writeStock(long id, int stock);

	/**
	 * Takes one piece away if there is one.
	 * @param id the number of the product
	 * @return whether there was one
	 */
	@Modifying
	@Query("UPDATE product SET stock = stock - 1 WHERE id = :id AND stock > 0")
	boolean takeOne(long id);

}
