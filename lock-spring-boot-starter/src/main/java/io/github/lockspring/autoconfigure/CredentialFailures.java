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

package io.github.lockspring.autoconfigure;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Detects failures caused by credentials that a store has rejected.
 */
final class CredentialFailures {

	/**
	 * Error messages of Redis, Sentinel, and versions of Redis before 6.
	 */
	private static final List<String> REDIS = List.of("WRONGPASS", "NOAUTH", "invalid username-password pair",
			"ERR invalid password", "without any password configured");

	private static final Set<String> ZOOKEEPER = Set.of("AuthFailedException", "NoAuthException");

	/**
	 * Class of the standard SQL states for invalid authorization.
	 */
	private static final String SQL_STATE = "28";

	private CredentialFailures() {
	}

	/**
	 * Return whether a failure, or one of its causes, is caused by rejected credentials.
	 */
	static boolean isIn(@Nullable Throwable failure) {
		for (Throwable each = failure; each != null; each = each.getCause()) {
			if (isOne(each)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isOne(Throwable failure) {
		if (failure instanceof SQLException ex) {
			return ex.getSQLState() != null && ex.getSQLState().startsWith(SQL_STATE);
		}
		String message = String.valueOf(failure.getMessage());
		return REDIS.stream().anyMatch(message::contains) || ZOOKEEPER.contains(failure.getClass().getSimpleName());
	}

	/**
	 * Return the remedy.
	 * @param backend the name of the backend
	 * @return the remedy, in complete sentences
	 */
	static String action(String backend) {
		String properties = switch (backend) {
			case "redis" -> " (spring.data.redis.username and spring.data.redis.password)";
			case "redlock" -> " (in the URLs of lock.redis.redlock.nodes)";
			case "jdbc" -> " (spring.datasource.username and spring.datasource.password)";
			case "zookeeper" -> " (lock.zookeeper.auth)";
			default -> "";
		};
		return "The store is running but rejects the credentials: correct the user name and the password of the"
				+ " application" + properties
				+ ", or create the user in the store. Set lock.fail-fast to false to start without the store.";
	}

}
