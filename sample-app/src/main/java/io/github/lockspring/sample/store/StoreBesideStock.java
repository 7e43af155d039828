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

package io.github.lockspring.sample.store;

import java.util.List;
import java.util.stream.Stream;

/**
 * A store that has the locks only, and a database that has the stock.
 */
record StoreBesideStock(Store locks, Store stock) implements Store {

	@Override
	public String name() {
		return this.locks.name();
	}

	@Override
	public List<String> arguments() {
		return Stream.of(this.locks, this.stock).flatMap((store) -> store.arguments().stream()).toList();
	}

	@Override
	public boolean isStoppable() {
		return this.locks.isStoppable();
	}

	@Override
	public void pause() {
		this.locks.pause();
	}

	@Override
	public void resume() {
		this.locks.resume();
	}

	@Override
	public void close() {
		try {
			this.locks.close();
		}
		finally {
			this.stock.close();
		}
	}

}
