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

package io.github.lockspring;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.KeyFormat;

/**
 * Validation of keys.
 */
final class LockKeys {

	static final int MAX_BYTES = 512;

	/**
	 * Not a character in Unicode, and so never needed in a key: internal keys have it.
	 */
	private static final char RESERVED = '\uffff';

	private LockKeys() {
	}

	static String requireValid(@Nullable String key) {
		if (key == null) {
			throw new InvalidLockKeyException("The key of a lock must not be null");
		}
		if (key.length() > MAX_BYTES) {
			throw tooLong(key);
		}
		boolean blank = true;
		int bytes = 0;
		for (int i = 0; i < key.length(); i++) {
			char c = key.charAt(i);
			blank = blank && (Character.isWhitespace(c) || Character.isSpaceChar(c));
			if (c < 0x80) {
				bytes++;
			}
			else if (c < 0x800) {
				bytes += 2;
			}
			else if (c == RESERVED) {
				throw new InvalidLockKeyException(
						"The key of a lock must not contain U+FFFF, which is not a character: " + KeyFormat.quote(key)
								+ " has it at index " + i);
			}
			else if (!Character.isSurrogate(c)) {
				bytes += 3;
			}
			else if (Character.isHighSurrogate(c) && i + 1 < key.length()
					&& Character.isLowSurrogate(key.charAt(i + 1))) {
				bytes += 4;
				i++;
			}
			else {
				throw new InvalidLockKeyException("The key of a lock must be well-formed Unicode: "
						+ KeyFormat.quote(key) + " has an unpaired surrogate at index " + i);
			}
		}
		if (blank) {
			throw new InvalidLockKeyException(
					"The key of a lock must not be blank, as " + KeyFormat.quote(key) + " is");
		}
		if (bytes > MAX_BYTES) {
			throw tooLong(key);
		}
		return key;
	}

	private static InvalidLockKeyException tooLong(String key) {
		return new InvalidLockKeyException("The key of a lock must not be longer than " + MAX_BYTES
				+ " bytes in UTF-8, as " + KeyFormat.quote(key) + " with " + key.length() + " characters is");
	}

	static int lengthInBytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8).length;
	}

}
