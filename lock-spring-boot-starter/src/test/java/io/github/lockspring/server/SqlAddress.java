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

package io.github.lockspring.server;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Where a database is, and as whom to log in.
 *
 * @param url the JDBC URL
 * @param user the user
 * @param password the password
 */
record SqlAddress(String url, String user, String password) {

	private static final Pattern URL = Pattern.compile("(jdbc:[a-z0-9:]+//)([^/:?]+)(?::(\\d+))?(.*)");

	/**
	 * Return the address that system properties name.
	 * @param prefix the beginning of their names, before {@code url}, {@code user} and
	 * {@code password}
	 * @return the address, or {@code null} if there is no URL
	 */
	static @Nullable SqlAddress ofProperties(String prefix) {
		String url = System.getProperty(prefix + "url", "");
		return url.isEmpty() ? null : new SqlAddress(url, System.getProperty(prefix + "user", ""),
				System.getProperty(prefix + "password", ""));
	}

	String host() {
		return parts().group(2);
	}

	int port(int usual) {
		String port = parts().group(3);
		return (port != null) ? Integer.parseInt(port) : usual;
	}

	/**
	 * Return the URL of the same database behind another host and port.
	 * @param host the host
	 * @param port the port
	 * @return the URL
	 */
	String urlAt(String host, int port) {
		Matcher parts = parts();
		return parts.group(1) + host + ":" + port + parts.group(4);
	}

	private Matcher parts() {
		Matcher matcher = URL.matcher(this.url);
		if (!matcher.matches()) {
			throw new IllegalArgumentException("Not a JDBC URL with a host: " + this.url);
		}
		return matcher;
	}

}
