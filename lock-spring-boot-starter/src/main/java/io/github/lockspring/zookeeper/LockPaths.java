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
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

import org.apache.curator.framework.CuratorFramework;

/**
 * Paths of the nodes: one below the root for every key, and below that one for every
 * request that holds the key or waits for it. Values are in a branch of their own.
 * <p>
 * Each key is mapped to a unique name: bytes that are not plain, and a dot at the
 * beginning, are written in hexadecimal after a percent sign.
 */
final class LockPaths {

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	private static final String PLAIN = "-_:,=@+~";

	private final String relativeRoot;

	private final String root;

	LockPaths(CuratorFramework client, String namespace) {
		String clientNamespace = client.getNamespace();
		boolean hasNamespace = clientNamespace != null && !clientNamespace.isEmpty();
		this.relativeRoot = '/' + namespace;
		this.root = (hasNamespace ? '/' + clientNamespace : "") + this.relativeRoot;
	}

	/**
	 * Return the path of the root.
	 */
	String root() {
		return this.root;
	}

	/**
	 * Return the path of the root without the namespace of the client, which the client
	 * adds.
	 */
	String relativeRoot() {
		return this.relativeRoot;
	}

	/**
	 * Return the path of the node that lists placeholder nodes. The name {@code .resting}
	 * is part of the stored format. No key has it, because none begins with a dot.
	 */
	String placeholderNodes() {
		return this.root + "/.resting";
	}

	/**
	 * Return the path of the parent of all values.
	 */
	String values() {
		return this.root + "/.values";
	}

	/**
	 * Return the path of the node that lists deleted values.
	 */
	String deletedValues() {
		return this.root + "/.deleted";
	}

	/**
	 * Return the path of the value of a key.
	 */
	String valueOf(String key) {
		return path(values(), key);
	}

	/**
	 * Return the path of the node of a key.
	 */
	String of(String key) {
		return path(this.root, key);
	}

	private static String path(String parent, String key) {
		byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
		StringBuilder path = new StringBuilder(parent.length() + bytes.length + 16).append(parent).append('/');
		for (int i = 0; i < bytes.length; i++) {
			char character = (char) (bytes[i] & 0xff);
			if (isPlain(character) || (character == '.' && i > 0)) {
				path.append(character);
			}
			else {
				HEX.toHexDigits(path.append('%'), bytes[i]);
			}
		}
		return path.toString();
	}

	/**
	 * Return the path of a new node with a random name, which has no counter.
	 */
	static String randomIn(String parent) {
		return parent + '/' + Long.toString(ThreadLocalRandom.current().nextLong(), Character.MAX_RADIX);
	}

	/**
	 * Return the path of the parent of a node.
	 */
	static String parentOf(String path) {
		return path.substring(0, path.lastIndexOf('/'));
	}

	/**
	 * Return the name of a node in its parent.
	 */
	static String nameOf(String path) {
		return path.substring(path.lastIndexOf('/') + 1);
	}

	private static boolean isPlain(char character) {
		return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
				|| (character >= '0' && character <= '9') || PLAIN.indexOf(character) >= 0;
	}

}
