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

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Values in MySQL and MariaDB, whose updates return only the argument of
 * {@code LAST_INSERT_ID}: the new version if the value before was the one that the
 * process read last, or else 0, in which case the process reads the entry of its update
 * from the row.
 */
final class MySqlValueDialect extends ValueDialect {

	/**
	 * Assignments are made from left to right: the number is assigned last, because the
	 * others depend on its former value, and the version before it for the same reason.
	 * The last entry of the process is replaced, with the end of the line before, by an
	 * end of line, because an empty text is {@code NULL} in some modes of MariaDB.
	 */
	private static final String UPDATE = """
			UPDATE @@values@@ SET
			  updates = LEFT(CONCAT(?, LPAD(COALESCE(number, 0), 20, ' '), ' ', LPAD(@@version-before@@, 19, ' '), ' ',
			      LPAD(@@next-version@@, 19, ' '), COALESCE(INSERT(CONCAT('\n', updates), @@own@@, 1 + @@length@@, '\n'),
			      CONCAT('\n', updates))), @@max-length@@),
			  version = @@next-version@@
			      + 0 * LAST_INSERT_ID(IF(number = ? AND version = ?, @@next-version@@, 0)),
			  expires_at = @@expiry@@,
			  number = @@number@@
			WHERE @@condition@@
			""";

	@Override
	String begin() {
		return MySqlStatements.BEGIN;
	}

	@Override
	String ownPosition() {
		return "NULLIF(LOCATE(?, updates), 0)";
	}

	@Override
	String update() {
		return UPDATE;
	}

	@Override
	boolean isValueCompared() {
		return true;
	}

	@Override
	@Nullable UpdatedRow update(PreparedStatement statement) throws SQLException {
		if (statement.executeUpdate() == 0) {
			return null;
		}
		try (ResultSet result = statement.getGeneratedKeys()) {
			return new UpdatedRow(null, result.next() ? result.getLong(1) : 0);
		}
	}

	@Override
	String bigint() {
		return "SIGNED";
	}

	@Override
	List<JdbcColumn> columns() {
		return JdbcColumn.ofValues(new JdbcColumn("value_key", Types.VARBINARY, 1024, "VARBINARY(1024)"),
				new JdbcColumn("updates", Set.of(Types.LONGVARCHAR, Types.VARCHAR), ValueEntry.MAX_TOTAL_LENGTH,
						"TEXT"));
	}

}
