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

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;

/**
 * Tests for {@link ProductController}.
 */
@WebMvcTest(ProductController.class)
class ProductControllerTests {

	@Autowired
	private MockMvcTester mvc;

	@MockitoBean
	private StockService stock;

	@MockitoBean
	private ProductRepository products;

	@MockitoBean
	private SaleRepository sales;

	@Test
	void showsStockAndSales() {
		given(this.products.findById(7L)).willReturn(Optional.of(new Product(7, "Ticket", 40, 0)));
		given(this.sales.countByProductId(7)).willReturn(2);
		assertThat(this.mvc.get().uri("/products/7")).hasStatusOk()
			.bodyJson()
			.isEqualTo("{\"name\": \"Ticket\", \"stock\": 40, \"sold\": 2}");
	}

	@Test
	void whenProductIsUnknownThenNotFound() {
		assertThat(this.mvc.get().uri("/products/7")).hasStatus(HttpStatus.NOT_FOUND);
	}

	@Test
	void resetFillsUpTheStock() {
		assertThat(this.mvc.put().uri("/products/7?name=Ticket&stock=42")).hasStatusOk();
		then(this.stock).should().reset(7, "Ticket", 42);
	}

	@Test
	void whenPieceIsSoldThenOk() {
		given(this.stock.deductWithGuardedUpdate(7, "a")).willReturn(true);
		assertThat(deduct("guarded-update", "a")).hasStatusOk();
	}

	@Test
	void whenStockIsSoldOutThenConflict() {
		given(this.stock.deductWithGuardedUpdate(7, "a")).willReturn(false);
		assertThat(deduct("guarded-update", "a")).hasStatus(HttpStatus.CONFLICT);
	}

	@Test
	void orderSentAgainBuysNoSecondPiece() {
		given(this.sales.existsById("a")).willReturn(true);
		assertThat(deduct("guarded-update", "a")).hasStatusOk();
		then(this.stock).shouldHaveNoInteractions();
	}

	@Test
	void whenSameOrderIsSoldMeanwhileThenOk() {
		given(this.stock.deductWithGuardedUpdate(7, "a")).willThrow(new DuplicateKeyException("a"));
		assertThat(deduct("guarded-update", "a")).hasStatusOk();
	}

	@Test
	void whenStrategyIsUnknownThenBadRequest() {
		assertThat(deduct("hope", "a")).hasStatus(HttpStatus.BAD_REQUEST);
	}

	private MockMvcTester.MockMvcRequestBuilder deduct(String strategy, String order) {
		return this.mvc.post().uri("/products/7/deduct?strategy=" + strategy + "&order=" + order);
	}

}
