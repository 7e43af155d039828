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

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The server to which the driver connects. All locks must be stored on one server: a
 * driver that balances connections between servers that accept writes grants a key once
 * on each of them. Servers that are tried in their order are accepted. Likewise, all
 * leases must be measured by one clock.
 */
final class SingleServer {

	/**
	 * URLs of MySQL and MariaDB whose connections, or statements, are balanced between
	 * several servers. The driver of MySQL has such a URL, with a single server, for the
	 * primary of its replicas.
	 */
	private static final Pattern BALANCED = Pattern.compile("(?i)jdbc:(?:[\\w+-]+:)*loadbalance:.*", Pattern.DOTALL);

	private static final Pattern ONE_SERVER = Pattern.compile("(?i)jdbc:mysql:loadbalance://[^,]*", Pattern.DOTALL);

	/**
	 * URLs of MySQL and MariaDB with a primary and its replicas.
	 */
	private static final Pattern REPLICATED = Pattern
		.compile("(?i)jdbc:(?:[\\w+-]+:)*(?:replication|load-balance-read):.*", Pattern.DOTALL);

	private static final Pattern TWO_PRIMARIES = Pattern.compile("(\\btype=(source|master|primary)\\b.*){2}",
			Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

	/**
	 * URLs of PostgreSQL with several servers of equal rank.
	 */
	private static final Pattern RANDOM_HOST = Pattern
		.compile("(?i)jdbc:[^/?]*postgresql://[^/?]*,.*\\bloadBalanceHosts=true\\b.*", Pattern.DOTALL);

	private static final Pattern PRIMARY_ONLY = Pattern.compile("\\btargetServerType=(primary|master|preferPrimary)\\b",
			Pattern.CASE_INSENSITIVE);

	/**
	 * URLs of Amazon Aurora DSQL, which has the product name and the version of
	 * PostgreSQL.
	 */
	private static final Pattern DSQL = Pattern.compile("(?i)jdbc:aws-dsql:.*|jdbc:[^?]*\\.dsql[^/?]*\\.on\\.aws\\b.*",
			Pattern.DOTALL);

	/**
	 * Databases that call themselves PostgreSQL or MySQL, by a part of their version.
	 * Several of their servers accept writes, and decide by their own clocks whether a
	 * lease is over.
	 */
	private static final Map<String, String> DISTRIBUTED = Map.of("-YB-", "YugabyteDB", "CockroachDB", "CockroachDB",
			"DSQL", "Aurora DSQL", "TiDB", "TiDB", "OceanBase", "OceanBase", "Vitess", "Vitess");

	private SingleServer() {
	}

	/**
	 * Reject a URL whose connections lead to several servers that may all accept writes.
	 * @param url the JDBC URL, or {@code null} if it is unknown
	 * @throws UnsupportedDatabaseException if the locks would be on several servers. The
	 * message does not contain the URL, which may contain a password
	 */
	static void requireOneServer(@Nullable String url) {
		if (url == null) {
			return;
		}
		if (BALANCED.matcher(url).matches() && !ONE_SERVER.matcher(url).matches()) {
			throw balanced("balances between its servers ('loadbalance')");
		}
		if (REPLICATED.matcher(url).matches() && TWO_PRIMARIES.matcher(url).find()) {
			throw balanced("contains several primary servers");
		}
		if (RANDOM_HOST.matcher(url).matches() && !PRIMARY_ONLY.matcher(url).find()) {
			throw balanced("balances between its servers (loadBalanceHosts=true without targetServerType=primary)");
		}
		if (DSQL.matcher(url).matches()) {
			throw distributed("Aurora DSQL");
		}
	}

	/**
	 * Reject a distributed database.
	 * @param version the version of the database as it describes itself
	 * @throws UnsupportedDatabaseException if the version is that of a distributed one
	 */
	static void requireOneClock(String version) {
		DISTRIBUTED.forEach((part, name) -> {
			if (version.contains(part)) {
				throw distributed(name);
			}
		});
	}

	private static UnsupportedDatabaseException distributed(String name) {
		return new UnsupportedDatabaseException(("Unsupported database for locks: %s. Several of its servers accept "
				+ "writes, and the end of a lease would depend on which of their clocks is read.")
			.formatted(name));
	}

	private static UnsupportedDatabaseException balanced(String problem) {
		return new UnsupportedDatabaseException(
				"The JDBC URL " + problem + ": the same key could be locked once on each of them.",
				"Set lock.jdbc.data-source to a data source for the single server that stores the locks. "
						+ "Servers that are tried in their order can be used if only one of them accepts writes.");
	}

	/**
	 * Return a warning about a URL with which locks are correct only if a single one of
	 * its servers accepts writes.
	 * @param url the JDBC URL
	 * @return the warning, or nothing
	 */
	static Optional<String> warning(String url) {
		return (REPLICATED.matcher(url).matches() || RANDOM_HOST.matcher(url).matches())
				? Optional.of("The JDBC URL of the locks names several servers. At any time, only one of them may "
						+ "accept writes: otherwise a key could be locked once on each.")
				: Optional.empty();
	}

}
