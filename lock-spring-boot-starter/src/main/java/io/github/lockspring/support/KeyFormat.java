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

package io.github.lockspring.support;

/**
 * Format of keys in messages and logs, where they must not break lines, be invisible, or
 * be too long.
 */
public final class KeyFormat {

	private static final int MAX_SHOWN = 128;

	private KeyFormat() {
	}

	/**
	 * Return a key in quotation marks, on one line, with at most 128 characters.
	 * @param key any text
	 * @return the text with all special characters escaped
	 */
	public static String quote(String key) {
		StringBuilder text = new StringBuilder("'");
		for (int i = 0; i < key.length(); i++) {
			char c = key.charAt(i);
			String shown = isPlain(c) ? String.valueOf(c) : String.format("\\u%04x", (int) c);
			if (text.length() + shown.length() > MAX_SHOWN - 2) {
				return text.append("…'").toString();
			}
			text.append(shown);
		}
		return text.append('\'').toString();
	}

	private static boolean isPlain(char c) {
		return c != '\\' && switch (Character.getType(c)) {
			case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.UNASSIGNED, Character.PRIVATE_USE,
					Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
				false;
			default -> true;
		};
	}

}
