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

import java.sql.Types;
import java.util.List;

/**
 * Values in H2.
 */
final class H2ValueDialect extends ValueDialect {

	/**
	 * Replaces the last entry of the process, with the end of the line before, by an end
	 * of line, because H2 does not replace a text by an empty one.
	 */
	private static final String UPDATE = """
			SELECT LEFT(updates, @@length@@) FROM FINAL TABLE (
			  UPDATE @@values@@ SET
			    updates = LEFT(CAST(? AS VARCHAR) || LPAD(COALESCE(number, 0), 20) || ' '
			        || LPAD(@@version-before@@, 19) || ' ' || LPAD(@@next-version@@, 19)
			        || COALESCE(INSERT('\n' || updates, @@own@@, 1 + @@length@@, '\n'), '\n' || updates), @@max-length@@),
			    version = @@next-version@@,
			    expires_at = @@expiry@@,
			    number = @@number@@
			  WHERE @@condition@@
			)
			""";

	@Override
	String ownPosition() {
		return "NULLIF(LOCATE(CAST(? AS VARCHAR), updates), 0)";
	}

	@Override
	String update() {
		return UPDATE;
	}

	@Override
	List<JdbcColumn> columns() {
		return JdbcColumn.ofValues(new JdbcColumn("value_key", Types.VARBINARY, 1024, "VARBINARY(1024)"),
				new JdbcColumn("updates", Types.VARCHAR, ValueEntry.MAX_TOTAL_LENGTH, "VARCHAR(20000)"));
	}

}
