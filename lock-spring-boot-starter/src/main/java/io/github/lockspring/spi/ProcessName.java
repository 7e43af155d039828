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

package io.github.lockspring.spi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Name of a process for operators. Not an identity: a restarted process may have the same
 * name, for example in a container. Its text is stored beside leases, and consists of at
 * most {@value #MAX_LENGTH} printable ASCII characters without blanks.
 *
 * @param application the name of the application, empty if it has none; cut if it is long
 * @param host the name of the host; cut if it is long
 * @param pid the process id
 */
public record ProcessName(String application, String host, long pid) {

	/**
	 * The maximum length of the text.
	 */
	public static final int MAX_LENGTH = 221;

	private static final int MAX_PART_LENGTH = 100;

	private static final String PLAIN = "[A-Za-z0-9._-]";

	private static final Pattern TEXT = Pattern
		.compile("((?:" + PLAIN + "|%[0-9A-F]{2})*)@((?:" + PLAIN + "|%[0-9A-F]{2})*):(\\d{1,18})");

	public ProcessName {
		application = cut(application);
		host = cut(host);
	}

	/**
	 * Return the name of this process. May query a name server on systems other than
	 * Linux, the first time.
	 * @param application the name of the application, empty if it has none
	 * @return the name
	 */
	public static ProcessName current(String application) {
		return new ProcessName(application, Host.NAME, ProcessHandle.current().pid());
	}

	/**
	 * Read the text of a name.
	 * @param text the result of {@link #toString()}
	 * @return the name, or {@code null} if the text is of another form
	 */
	public static @Nullable ProcessName parse(String text) {
		Matcher matcher = TEXT.matcher(text);
		if (!matcher.matches()) {
			return null;
		}
		return new ProcessName(decode(matcher.group(1)), decode(matcher.group(2)), Long.parseLong(matcher.group(3)));
	}

	/**
	 * Return the text of this name: application, host and process id, separated by
	 * {@code @} and a colon. Other characters than letters, digits, dots, hyphens and
	 * underscores are written as hexadecimal bytes in UTF-8, each after a percent sign.
	 * @return the text
	 */
	@Override
	public String toString() {
		return encode(this.application) + '@' + encode(this.host) + ':' + this.pid;
	}

	private static String cut(String part) {
		String cut = part;
		while (encode(cut).length() > MAX_PART_LENGTH) {
			int most = Math.min(cut.length() - 1, MAX_PART_LENGTH);
			cut = cut.substring(0, Character.isHighSurrogate(cut.charAt(most - 1)) ? most - 1 : most);
		}
		return cut;
	}

	private static String encode(String part) {
		return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A");
	}

	private static String decode(String text) {
		return URLDecoder.decode(text, StandardCharsets.UTF_8);
	}

	/**
	 * Name of the host of this process, determined on first use.
	 */
	private static final class Host {

		static final String NAME = name();

		private static String name() {
			String name = ofKernel();
			return (name != null && !name.isEmpty()) ? name : ofAddress();
		}

		/**
		 * Unlike an address, it does not have to be resolved.
		 */
		private static @Nullable String ofKernel() {
			try {
				return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
			}
			catch (IOException | RuntimeException ex) {
				return null; // not on Linux
			}
		}

		private static String ofAddress() {
			try {
				return InetAddress.getLocalHost().getHostName();
			}
			catch (UnknownHostException ex) {
				return "unknown";
			}
		}

	}

}
