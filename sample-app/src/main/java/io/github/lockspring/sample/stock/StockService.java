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

import java.util.function.Supplier;

import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.fencing.FencedUpdates;
import io.github.lockspring.sample.fault.HolderPause;
import io.github.lockspring.sample.timeline.Access;
import io.github.lockspring.sample.timeline.Timeline;

/**
 * Sells one piece of a product to an order, in several ways. Each returns whether there
 * was one left. In each, the stock and the record of the sale are written in one
 * transaction.
 */
@Service
public class StockService {

	private final ProductRepository products;

	private final SaleRepository sales;

	private final TransactionTemplate transaction;

	private final FencedUpdates updates;

	private final Timeline timeline;

	private final HolderPause pause;

	public StockService(ProductRepository products, SaleRepository sales, JdbcOperations jdbc,
			PlatformTransactionManager transactionManager, Timeline timeline, HolderPause pause) {
		this.products = products;
		this.sales = sales;
		this.transaction = new TransactionTemplate(transactionManager);
		this.updates = new FencedUpdates(jdbc);
		this.timeline = timeline;
		this.pause = pause;
	}

	/**
	 * Begins anew: fills up the stock of a product and forgets its sales.
	 */
	@Transactional
	public void reset(long productId, String name, int stock) {
		this.sales.deleteByProductId(productId);
		this.products.deleteById(productId);
		this.products.save(new Product(productId, name, stock, null));
	}

	/**
	 * No lock: two requests read the same number, both write it less one, and one sale
	 * leaves no trace in the stock.
	 */
	@Transactional
	public boolean deduct(long productId, String orderId) {
		return readDecideAndWrite(productId, orderId);
	}

	/**
	 * Right in one process, wrong in two. The transaction is committed before the monitor
	 * is left; {@code @Transactional} on this method would commit after.
	 */
	public synchronized boolean deductSynchronized(long productId, String orderId) {
		return this.transaction.execute((status) -> readDecideAndWrite(productId, orderId));
	}

	/**
	 * Right in all processes: one order at a time for each product. The lock is outside
	 * the transaction, so that the next one reads what this one has committed. The
	 * fencing token rejects the write of a process that was paused for longer than its
	 * lease.
	 */
	@DistributedLock(name = "stock", key = "#productId", waitTime = "30s", leaseTime = "5s")
	@Transactional
	public boolean deductWithDistributedLock(long productId, String orderId) {
		LockHandle lock = LockContext.current();
		return inSection(productId, () -> decide(read(productId), orderId,
				(id, stock) -> this.updates.update("product").set("stock", stock).where("id", id).execute(lock)));
	}

	/**
	 * The database decides and writes in one step. As fast as it gets, as long as the
	 * decision fits into a {@code WHERE} clause.
	 */
	@Transactional
	public boolean deductWithGuardedUpdate(long productId, String orderId) {
		boolean sold = this.products.takeOne(productId);
		if (sold) {
			this.sales.record(orderId, productId);
		}
		return sold;
	}

	/**
	 * The row is locked when it is read. Those who wait hold a transaction and a
	 * connection meanwhile.
	 */
	@Transactional
	public boolean deductWithSelectForUpdate(long productId, String orderId) {
		Product product = this.products.findWithLockById(productId)
			.orElseThrow(() -> new ProductNotFoundException(productId));
		return inSection(productId, () -> decide(product, orderId, this.products::writeStock));
	}

	/**
	 * No order waits; one that finds the version changed when writing starts again, after
	 * a pause that grows and is random, so that the same requests do not meet again and
	 * again.
	 */
	@Retryable(includes = OptimisticLockingFailureException.class, maxRetries = 200, delay = 5, jitter = 5,
			multiplier = 2, maxDelay = 200)
	@Transactional
	public boolean deductWithVersion(long productId, String orderId) {
		Product product = read(productId);
		if (product.stock() <= 0) {
			return false;
		}
		this.products.save(product.withStock(product.stock() - 1));
		this.sales.record(orderId, productId);
		return true;
	}

	private boolean readDecideAndWrite(long productId, String orderId) {
		return inSection(productId, () -> decide(read(productId), orderId, this.products::writeStock));
	}

	private boolean inSection(long productId, Supplier<Boolean> section) {
		return this.timeline.record("stock:" + productId, Access.EXCLUSIVE, section);
	}

	private Product read(long productId) {
		return this.products.findById(productId).orElseThrow(() -> new ProductNotFoundException(productId));
	}

	private boolean decide(Product product, String orderId, StockWriter writer) {
		if (product.stock() <= 0) {
			return false;
		}
		this.pause.here();
		writer.write(product.id(), product.stock() - 1);
		this.sales.record(orderId, product.id());
		return true;
	}

	private interface StockWriter {

		void write(long productId, int stock);

	}

}
