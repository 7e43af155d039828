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

package io.github.lockspring.jdbc;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The statements for one table in one dialect.
 */
final class LockSql {

	private final JdbcDialect dialect;

	private final TableName table;

	private final String acquire;

	private final @Nullable String take;

	private final @Nullable String contend;

	private final String releaseOne;

	private final String readOne;

	private final String write;

	private final String writeAndTell;

	private final @Nullable String mark;

	LockSql(JdbcDialect dialect, TableName table) {
		this.dialect = dialect;
		this.table = table;
		this.acquire = dialect.complete(dialect.acquire(), table, 0);
		String take = dialect.take();
		this.take = (take != null) ? dialect.complete(take, table, 0) : null;
		String contend = dialect.contend();
		this.contend = (contend != null) ? dialect.complete(contend, table, 0) : null;
		this.releaseOne = dialect.complete(dialect.release(), table, 1);
		this.readOne = dialect.complete(dialect.read(), table, 1);
		this.write = dialect.complete(dialect.write(), table, 0);
		this.writeAndTell = dialect.complete(dialect.writeAndTell(), table, 0);
		String mark = dialect.mark();
		this.mark = (mark != null) ? dialect.complete(mark, table, 0) : null;
	}

	String acquire() {
		return this.acquire;
	}

	@Nullable String take() {
		return this.take;
	}

	@Nullable String contend() {
		return this.contend;
	}

	String release(int marks) {
		return (marks == 1) ? this.releaseOne : complete(this.dialect.release(), marks);
	}

	String releaseAfter(int marks) {
		return complete(this.dialect.releaseAfter(), marks);
	}

	String renew(int marks) {
		return complete(this.dialect.renew(), marks);
	}

	String held(int marks) {
		return complete(this.dialect.held(), marks);
	}

	String read(int marks) {
		return (marks == 1) ? this.readOne : complete(this.dialect.read(), marks);
	}

	String write() {
		return this.write;
	}

	String writeAndTell() {
		return this.writeAndTell;
	}

	@Nullable String mark() {
		return this.mark;
	}

	boolean isMarking() {
		return this.mark != null;
	}

	String markAll(int placeholders) {
		return complete(Objects.requireNonNull(this.dialect.markAll()), placeholders);
	}

	String insert() {
		return complete(this.dialect.insert(), 0);
	}

	private String complete(String template, int marks) {
		return this.dialect.complete(template, this.table, marks);
	}

}
