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

package org.example.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.state.StateStore;

/**
 * Store with the two operations that nearly every database has: read a document, and
 * replace it on condition that it has not changed since. Stands for a server.
 */
final class DocumentStore implements StateStore {

	private final ConcurrentHashMap<String, String> documents = new ConcurrentHashMap<>();

	@Override
	public Snapshot read(String id, Duration timeout) {
		return new Snapshot(this.documents.get(id), Instant.now());
	}

	@Override
	public boolean compareAndSet(String id, @Nullable String expected, String text, Duration timeout) {
		return (expected != null) ? this.documents.replace(id, expected, text)
				: this.documents.putIfAbsent(id, text) == null;
	}

}
