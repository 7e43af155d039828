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

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockType;
import io.github.lockspring.fencing.FencedUpdates;
import io.github.lockspring.sample.fault.HolderPause;
import io.github.lockspring.sample.stock.ProductNotFoundException;
import io.github.lockspring.sample.timeline.Access;
import io.github.lockspring.sample.timeline.Timeline;

/**
 * Reads and writes the price of a product, which is stored in two rows that should agree.
 * Each row is read and written in a statement of its own, without a transaction around
 * them, as if the two were in different systems.
 * <p>
 * A lock is not a transaction: a writer that crashes between the two rows leaves them
 * different until the next write, with a lock and without.
 */
@Service
public class CatalogueService {

	private static final String SHOP = "shop";

	private static final String WEB = "web";

	private static final Duration BETWEEN_WRITES = Duration.ofMillis(2);

	private final JdbcClient jdbc;

	private final FencedUpdates updates;

	private final Timeline timeline;

	private final HolderPause pause;

	public CatalogueService(JdbcClient jdbc, JdbcOperations operations, Timeline timeline, HolderPause pause) {
		this.jdbc = jdbc;
		this.updates = new FencedUpdates(operations);
		this.timeline = timeline;
		this.pause = pause;
	}

	/**
	 * Begins anew: lets the rows agree, and forgets who has written them.
	 */
	@Transactional
	public void reset(long product) {
		this.jdbc.sql("DELETE FROM product_price WHERE product_id = :product").param("product", product).update();
		this.jdbc.sql("""
				INSERT INTO product_price (product_id, channel, amount)
				VALUES (:product, :shop, 100), (:product, :web, 100)""")
			.param("product", product)
			.param("shop", SHOP)
			.param("web", WEB)
			.update();
	}

	/**
	 * No lock: a writer can be between its two rows, or come between the two reads.
	 */
	public Prices read(long product) {
		return inSection(product, Access.SHARED, () -> readBoth(product));
	}

	/**
	 * Any number of readers at once, but no writer meanwhile. What was read by a process
	 * that was paused for longer than its lease does not count.
	 */
	@DistributedLock(name = "catalogue", key = "#product", type = LockType.READ, waitTime = "30s", leaseTime = "5s")
	public Prices readWithLock(long product) {
		LockHandle lock = LockContext.current();
		return inSection(product, Access.SHARED, () -> {
			Prices prices = readBoth(product);
			lock.checkpoint();
			return prices;
		});
	}

	/**
	 * No lock: readers see one new and one old row, and two writers can leave the rows
	 * different for good.
	 */
	public void write(long product, int amount) {
		inSection(product, Access.EXCLUSIVE, () -> writeBoth((channel) -> write(product, channel, amount)));
	}

	/**
	 * One writer at a time, and no reader meanwhile. The fencing token rejects the writes
	 * of a process that was paused for longer than its lease.
	 */
	@DistributedLock(name = "catalogue", key = "#product", type = LockType.WRITE, waitTime = "30s", leaseTime = "5s")
	public void writeWithLock(long product, int amount) {
		LockHandle lock = LockContext.current();
		inSection(product, Access.EXCLUSIVE,
				() -> writeBoth((channel) -> this.updates.update("product_price")
					.set("amount", amount)
					.where("product_id", product)
					.where("channel", channel)
					.execute(lock)));
	}

	private <T> T inSection(long product, Access access, Supplier<T> section) {
		return this.timeline.record("catalogue:" + product, access, section);
	}

	private Prices readBoth(long product) {
		int shop = read(product, SHOP);
		this.pause.here();
		return new Prices(shop, read(product, WEB));
	}

	private int read(long product, String channel) {
		return this.jdbc.sql("SELECT amount FROM product_price WHERE product_id = :product AND channel = :channel")
			.param("product", product)
			.param("channel", channel)
			.query(Integer.class)
			.optional()
			.orElseThrow(() -> new ProductNotFoundException(product));
	}

	private int writeBoth(ToIntFunction<String> writer) {
		this.pause.here();
		int rows = writer.applyAsInt(SHOP);
		LockSupport.parkNanos(BETWEEN_WRITES.toNanos());
		return rows + writer.applyAsInt(WEB);
	}

	private int write(long product, String channel, int amount) {
		return this.jdbc
			.sql("UPDATE product_price SET amount = :amount WHERE product_id = :product AND channel = :channel")
			.param("amount", amount)
			.param("product", product)
			.param("channel", channel)
			.update();
	}

}
