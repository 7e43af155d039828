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

package io.github.lockspring.simulator.cluster;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.simulator.cluster.LockedMethods.Body;
import io.github.lockspring.simulator.history.LockFact;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.machine.Replaced;

/**
 * Calls a method that runs under a lock because of its annotation. It calls another one
 * with the same lock, perhaps.
 */
final class MethodWork implements Runnable {

	private final Worker worker;

	private final ProcessLocks process;

	MethodWork(Worker worker, ProcessLocks process) {
		this.worker = worker;
		this.process = process;
	}

	@Override
	public void run() {
		Method method = Method.values()[this.worker.random().nextInt(Method.values().length)];
		String key = this.worker.nextKey();
		Duration waitTime = this.worker.nextDuration(this.worker.settings().lease().multipliedBy(2));
		Claim claim = new Claim(this.worker, request(method, key, waitTime));
		Body body = new Body((handle) -> work(claim, method, key, handle), claim::failed);
		try {
			method.call.on(this.process, key, waitTime, body);
			claim.returned();
		}
		catch (LockException | ClientError ex) {
			claim.failed(ex);
		}
		catch (CompletionException ex) {
			claim.failed((ex.getCause() != null) ? ex.getCause() : ex);
		}
		Thread.interrupted();
	}

	private LockFact.Requested request(Method method, String key, Duration waitTime) {
		boolean permits = method.mode == Mode.PERMITS;
		LockTemplate locks = this.process.template()
			.named(permits ? LockedMethods.NAME + "-permits" : LockedMethods.NAME);
		long lease = (method == Method.FIXED) ? this.worker.settings().lease().toNanos() : 0;
		return new LockFact.Requested(this.worker.nextOperation(), List.of(locks.storeKey(key)), method.mode, 1,
				permits ? LockedMethods.PERMITS : 1, method == Method.FAIR, lease, waitTime.toNanos());
	}

	private void work(Claim claim, Method method, String key, LockHandle handle) {
		claim.granted(handle);
		claim.hold(handle);
		Method again = method.again;
		if (again != null && this.worker.random().nextInt(3) == 0) {
			callAgain(claim, again, key);
			claim.hold(handle);
		}
		claim.releasing(handle);
	}

	private void callAgain(Claim claim, Method again, String key) {
		Body body = new Body((handle) -> claim.reentered(handle, again.mode), (failure) -> {
		});
		this.worker.attempt(() -> {
			again.call.on(this.process, key, Duration.ZERO, body);
			return true;
		});
	}

	/**
	 * Annotated methods, and the ones that they call.
	 */
	private enum Method {

		READ(Mode.READ, null, (process, key, wait, body) -> process.methods().read(key, wait, body)),

		WRITE(Mode.WRITE, READ, (process, key, wait, body) -> process.methods().write(key, wait, body)),

		FAIR(Mode.EXCLUSIVE, null, (process, key, wait, body) -> process.methods().fair(key, wait, body)),

		FIXED(Mode.EXCLUSIVE, null, (process, key, wait, body) -> process.methods().fixed(key, wait, body)),

		EXCLUSIVE(Mode.EXCLUSIVE, FIXED, (process, key, wait, body) -> process.methods().exclusive(key, wait, body)),

		OR_ELSE(Mode.EXCLUSIVE, EXCLUSIVE, (process, key, wait, body) -> process.methods().orElse(key, wait, body)),

		PERMIT(Mode.PERMITS, null, (process, key, wait, body) -> process.methods().permit(key, wait, body)),

		STAGE(Mode.EXCLUSIVE, null, (process, key, wait, body) -> Replaced
			.join(process.methods().stage(key, wait, body, process.executor())));

		private final Mode mode;

		private final @Nullable Method again;

		private final Call call;

		Method(Mode mode, @Nullable Method again, Call call) {
			this.mode = mode;
			this.again = again;
			this.call = call;
		}

	}

	/**
	 * Call of a method.
	 */
	private interface Call {

		void on(ProcessLocks process, String key, Duration waitTime, Body body);

	}

}
