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

package io.github.lockspring.zookeeper;

import java.nio.charset.StandardCharsets;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.ProcessName;

/**
 * Content of a node.
 *
 * @param data its data
 * @param stat its metadata
 */
record NodeContent(byte[] data, Stat stat) {

	/**
	 * Return the data that {@link #number()} reads.
	 */
	static byte[] dataOf(long number) {
		return dataOf(number, "");
	}

	/**
	 * Return data with a number and the text of the name of a process.
	 */
	static byte[] dataOf(long number, String process) {
		return bytes(Long.toString(number) + (process.isEmpty() ? "" : ' ' + process));
	}

	/**
	 * Return data without a number.
	 */
	static byte[] dataOf(String process) {
		return bytes(process.isEmpty() ? "" : ' ' + process);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	boolean hasNumber() {
		return this.data.length > 0 && this.data[0] != ' ';
	}

	long number() {
		String text = text();
		int end = text.indexOf(' ');
		return Long.parseLong(text, 0, (end >= 0) ? end : text.length(), 10);
	}

	/**
	 * Return the process that created the node, if it is known.
	 */
	@Nullable ProcessName process() {
		String text = text();
		return ProcessName.parse(text.substring(text.indexOf(' ') + 1));
	}

	private String text() {
		return new String(this.data, StandardCharsets.ISO_8859_1);
	}

}
