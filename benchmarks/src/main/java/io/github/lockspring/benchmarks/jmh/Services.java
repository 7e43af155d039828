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

package io.github.lockspring.benchmarks.jmh;

import java.util.concurrent.CompletableFuture;

import com.baomidou.lock.annotation.Lock4j;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock;

/**
 * The same service under different annotations. It returns an object because ShedLock
 * cannot skip what returns a primitive value.
 */
final class Services {

	private static final Object RECEIPT = new Object();

	private Services() {
	}

	static class Plain {

		Object pay(long id) {
			return RECEIPT;
		}

		CompletableFuture<Object> payLater(long id) {
			return CompletableFuture.completedFuture(RECEIPT);
		}

		Mono<Object> payReactively(long id) {
			return Mono.just(RECEIPT);
		}

	}

	static class Ours {

		@DistributedLock(name = "order", key = "#id")
		Object pay(long id) {
			return RECEIPT;
		}

		@DistributedLock(name = "order", key = "#id")
		Object payByText(String id) {
			return RECEIPT;
		}

		@DistributedLock(name = "order", key = "#order.id")
		Object payByProperty(Order order) {
			return RECEIPT;
		}

		@DistributedLock(name = "order", key = "'pay-' + #order.id")
		Object payByExpression(Order order) {
			return RECEIPT;
		}

		@DistributedLock(name = "order", key = "'pay-' + #id")
		Object payByConcatenation(long id) {
			return RECEIPT;
		}

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<Object> payLater(long id) {
			return CompletableFuture.completedFuture(RECEIPT);
		}

		@DistributedLock(name = "order", key = "#id")
		Mono<Object> payReactively(long id) {
			return Mono.just(RECEIPT);
		}

	}

	static class ForTransactions {

		@Transactional
		Object pay(long id) {
			return RECEIPT;
		}

	}

	static class ForCache {

		@Cacheable(cacheNames = "order", key = "#id")
		Object pay(long id) {
			return RECEIPT;
		}

		@Cacheable(cacheNames = "order", key = "'pay-' + #id")
		Object payByConcatenation(long id) {
			return RECEIPT;
		}

		@Cacheable(cacheNames = "order", key = "'pay-' + #order.id")
		Object payByExpression(Order order) {
			return RECEIPT;
		}

	}

	static class ForLock4j {

		@Lock4j(keys = "#id")
		Object pay(long id) {
			return RECEIPT;
		}

	}

	static class ForShedLock {

		@SchedulerLock(name = "order#{#id}")
		Object pay(long id) {
			return RECEIPT;
		}

	}

	/**
	 * An argument with a property.
	 */
	public static final class Order {

		private final long id;

		Order(long id) {
			this.id = id;
		}

		public long getId() {
			return this.id;
		}

	}

}
