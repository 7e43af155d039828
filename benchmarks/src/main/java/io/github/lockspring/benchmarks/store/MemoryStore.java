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

package io.github.lockspring.benchmarks.store;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.contestant.Entrant.Trait;
import io.github.lockspring.benchmarks.contestant.JvmLocks;
import io.github.lockspring.benchmarks.contestant.LockStarter;
import io.github.lockspring.local.LocalLockBackend;

/**
 * The memory of this process. The floor is the lock of the JDK.
 */
final class MemoryStore implements Store {

	static final String NAME = "memory";

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public List<Entrant> entrants() {
		return List.of(
				new Entrant(Entrant.FLOOR, () -> new JvmLocks(false), Trait.EXCLUSIVE, Trait.WAITING, Trait.REENTRANT),
				new Entrant("fair-reentrant-lock", () -> new JvmLocks(true), Trait.EXCLUSIVE, Trait.WAITING,
						Trait.REENTRANT),
				new Entrant(LockStarter.NAME, MemoryStore::lockStarter, Trait.EXCLUSIVE, Trait.WAITING,
						Trait.REENTRANT));
	}

	private static LockStarter lockStarter() {
		return LockStarter.on(new LocalLockBackend(), () -> {
		});
	}

	@Override
	public @Nullable String address() {
		return null;
	}

	@Override
	public CommandCount countCommands() {
		return () -> 0;
	}

	@Override
	public void close() {
	}

}
