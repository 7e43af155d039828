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

/**
 * What is in a node.
 *
 * @param data its data
 * @param stat what the servers know of it
 */
record NodeContent(byte[] data, Stat stat) {

	/**
	 * Return the data that {@link #number()} reads.
	 */
	static byte[] dataOf(long number) {
		return Long.toString(number).getBytes(StandardCharsets.ISO_8859_1);
	}

	long number() {
		return Long.parseLong(new String(this.data, StandardCharsets.ISO_8859_1));
	}

}
