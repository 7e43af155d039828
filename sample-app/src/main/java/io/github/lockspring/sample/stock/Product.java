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

import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A product and how many pieces of it are left.
 *
 * @param id the number of the product
 * @param name what it is called
 * @param stock the pieces left
 * @param version counts the times the product was saved; {@code null} before the first
 */
@Table
public record Product(@Id long id, String name, int stock, @Version @Nullable Integer version) {

	Product withStock(int stock) {
		return new Product(this.id, this.name, stock, this.version);
	}

}
