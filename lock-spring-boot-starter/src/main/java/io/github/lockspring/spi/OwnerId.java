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

import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Identity that is unique to one request: a random identifier of the process, generated
 * at its start, and a sequence number within the process.
 *
 * @param instance 128 random bits in hexadecimal
 * @param sequence the number of the request in its process
 */
public record OwnerId(String instance, long sequence) {

	private static final SecureRandom RANDOM = new SecureRandom();

	/**
	 * Generate an identifier for a process.
	 * @return 32 hexadecimal digits
	 */
	public static String newInstance() {
		byte[] bits = new byte[16];
		RANDOM.nextBytes(bits);
		return HexFormat.of().formatHex(bits);
	}

	/**
	 * Read the text of an owner.
	 * @param text the result of {@link #toString()}
	 * @return the owner
	 * @throws IllegalArgumentException if the text is of another form
	 */
	public static OwnerId parse(String text) {
		int end = text.lastIndexOf('-');
		if (end <= 0) {
			throw new IllegalArgumentException("'" + text + "' is not an owner");
		}
		return new OwnerId(text.substring(0, end), Long.parseUnsignedLong(text, end + 1, text.length(), 16));
	}

	@Override
	public String toString() {
		return this.instance + '-' + Long.toHexString(this.sequence);
	}

}
