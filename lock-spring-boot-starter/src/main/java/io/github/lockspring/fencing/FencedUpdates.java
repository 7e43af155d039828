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

package io.github.lockspring.fencing;

import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.util.Assert;

/**
 * Updates of a SQL database that are protected against late writes of former lock
 * holders. A lease expires without the knowledge of its holder, and a holder that was
 * paused at the wrong moment writes after its successor has. The row stores the greatest
 * fencing token under which it was written and rejects smaller ones, in the same
 * statement as the write:
 *
 * <pre>{@code
 * updates.update("account").set("balance", balance).where("id", id).execute(lock);
 * }</pre>
 *
 * This class generates the statement, so that nothing that the caller provides can bypass
 * the comparison: names are verified, and values are bound.
 *
 * <pre>{@code
 * UPDATE account SET balance = ?, fence = ? WHERE COALESCE(fence, 0) <= ? AND id = ?
 * }</pre>
 *
 * The column {@code fence} is a {@code BIGINT}, and null or 0 in rows that have not been
 * written under a lock yet. {@code <=} allows one holder to write more than once.
 * <p>
 * Limitations:
 * <ul>
 * <li>Writes of a former holder are not rejected before the first write of its successor
 * to the row: until then the row does not contain the token of the successor.</li>
 * <li>Reads are not protected. A successor whose decision depends on a row must read it
 * in the transaction that writes it; otherwise it may act on a value that its predecessor
 * is about to change.</li>
 * <li>Rows are protected individually. Address a single row in each update: an update of
 * several rows is rejected only if every one of them rejects it.</li>
 * <li>Statements that bypass this class are not detected.</li>
 * <li>Tokens are counted per key and per lock store. All writers of a row must hold the
 * same key, exclusively, because the older of two readers would be rejected; and if the
 * locks are moved to another backend, or their store is restored to an earlier state, its
 * tokens must be greater than those in the rows.</li>
 * </ul>
 * <p>
 * Thread-safe.
 */
public final class FencedUpdates {

	private final JdbcOperations jdbc;

	/**
	 * Create an instance.
	 * @param jdbc the operations used to run the updates
	 */
	public FencedUpdates(JdbcOperations jdbc) {
		Assert.notNull(jdbc, "'jdbc' must not be null");
		this.jdbc = jdbc;
	}

	/**
	 * Begin an update of a row.
	 * @param table the name of the table, also with its schema, as in SQL: quoted if the
	 * database requires it
	 * @return the update, to be completed with columns and conditions
	 * @throws IllegalArgumentException if it is not a name
	 */
	public FencedUpdate update(String table) {
		return new FencedUpdate(this.jdbc, table);
	}

}
