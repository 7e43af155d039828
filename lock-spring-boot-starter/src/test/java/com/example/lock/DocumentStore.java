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

package com.example.lock;

import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Store with the two operations that nearly every database has: read a document, and
 * replace it on condition that it has not changed since. Stands for a server.
 */
final class DocumentStore {

	private final ConcurrentHashMap<String, Document> documents = new ConcurrentHashMap<>();

	/**
	 * Return the time of the store, which is the same for all clients.
	 * @return the time
	 */
	Instant now() {
		return Instant.now();
	}

	@Nullable Document read(String id) {
		return this.documents.get(id);
	}

	/**
	 * Replace a document unless it has changed since it was read.
	 * @param id the id of the document
	 * @param read the document as it was read, {@code null} if there was none
	 * @param written the document that replaces it
	 * @return {@code false} if it has changed
	 */
	boolean replace(String id, @Nullable Document read, Document written) {
		if (read == null) {
			return this.documents.putIfAbsent(id, written) == null;
		}
		return this.documents.replace(id, read, written);
	}

	/**
	 * The document of a key.
	 *
	 * @param owner the owner of the lease, empty if it is released
	 * @param token the first fencing token of the lease
	 * @param lastToken the last fencing token of the lease
	 * @param end when the lease ends
	 */
	record Document(String owner, long token, long lastToken, Instant end) {

	}

}
