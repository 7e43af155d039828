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

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the stock from the controller to a database in memory.
 */
@SpringBootTest(properties = "spring.datasource.url=jdbc:h2:mem:stock;LOCK_TIMEOUT=30000")
class StockTests {

	@Autowired
	private ProductController controller;

	@BeforeEach
	void fillUp() {
		this.controller.reset(1, "Concert ticket", 50);
	}

	@ParameterizedTest
	@EnumSource
	void sellsUntilSoldOut(Strategy strategy) {
		this.controller.reset(1, "Concert ticket", 2);
		assertThat(List.of(deduct(strategy, "a"), deduct(strategy, "b"), deduct(strategy, "c"))).containsExactly(200,
				200, 409);
		assertThat(this.controller.show(1)).extracting("stock", "sold").containsExactly(0, 2);
	}

	@ParameterizedTest
	@EnumSource
	void sellsNothingThatIsOwed(Strategy strategy) {
		this.controller.reset(1, "Concert ticket", -1);
		assertThat(deduct(strategy, "a")).isEqualTo(409);
	}

	@ParameterizedTest
	@EnumSource
	void orderSentTwiceBuysOnePiece(Strategy strategy) {
		assertThat(deduct(strategy, "a")).isEqualTo(200);
		assertThat(deduct(strategy, "a")).isEqualTo(200);
		assertThat(this.controller.show(1)).extracting("stock", "sold").containsExactly(49, 1);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NO_LOCK")
	void ordersAtOnceInOneProcessLeaveExactStock(Strategy strategy) throws Exception {
		ExecutorService customers = Executors.newFixedThreadPool(8);
		try {
			List<Future<Integer>> orders = IntStream.range(0, 60)
				.mapToObj((i) -> customers.submit(() -> deduct(strategy, "order " + i)))
				.toList();
			for (Future<Integer> order : orders) {
				assertThat(order.get()).isIn(200, 409);
			}
		}
		finally {
			customers.shutdownNow();
		}
		assertThat(this.controller.show(1)).extracting("stock", "sold").containsExactly(0, 50);
	}

	private int deduct(Strategy strategy, String order) {
		return this.controller.deduct(1, strategy, order).getStatusCode().value();
	}

}
