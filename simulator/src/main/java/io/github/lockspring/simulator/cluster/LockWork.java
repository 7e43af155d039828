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
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUtils;
import io.github.lockspring.simulator.history.LockFact;
import io.github.lockspring.simulator.history.LockFact.Change;
import io.github.lockspring.simulator.history.LockFact.Mode;

/**
 * Acquires a lock of any kind, works under it, and releases it. Sometimes acquires it
 * again in between, extends it, or downgrades it to the read lock.
 */
final class LockWork implements Runnable {

	private static final int PERMITS = 3;

	private final Worker worker;

	private final ProcessLocks process;

	private final LockTemplate locks;

	private final SplittableRandom random;

	/**
	 * Whether the store can recall leases.
	 */
	private final boolean retaining;

	/**
	 * Types of locks that the store supports.
	 */
	private final List<LockType> types;

	private final boolean permits;

	LockWork(Worker worker, ProcessLocks process) {
		this.worker = worker;
		this.process = process;
		this.locks = process.template();
		this.random = worker.random();
		LockOptions retained = this.locks.defaultOptions().withRetain(Duration.ofSeconds(1));
		this.retaining = supports(retained);
		this.types = Arrays.stream(LockType.values())
			.filter((type) -> supports(this.locks.defaultOptions().withType(type)))
			.toList();
		this.permits = supports(this.locks.defaultOptions().withPermits(PERMITS));
	}

	private boolean supports(LockOptions options) {
		return LockUtils.engine(this.locks).supports(LockUtils.acquireOptions(options));
	}

	@Override
	public void run() {
		Request request = nextRequest();
		Claim claim = new Claim(this.worker, request.toFact(this.worker.nextOperation(), this.locks));
		LockHandle handle = acquire(claim, request);
		if (handle != null) {
			claim.hold(handle);
			LockHandle last = (this.random.nextInt(4) == 0) ? change(claim, request, handle) : handle;
			claim.release(last);
		}
	}

	private Request nextRequest() {
		ClusterSettings settings = this.worker.settings();
		LockType type = this.types.get(this.random.nextInt(this.types.size()));
		LockOptions options = this.locks.defaultOptions()
			.withType(type)
			.withWaitTime(this.worker.nextDuration(settings.lease().multipliedBy(2)))
			.withAutoRenew(this.random.nextInt(4) > 0);
		options = this.retaining ? retained(options) : options;
		String key = this.worker.nextKey();
		if (this.permits && type == LockType.REENTRANT && this.random.nextInt(4) == 0) {
			return new Request(List.of("permits-" + key), options.withPermits(PERMITS), Mode.PERMITS, 1, PERMITS);
		}
		Mode mode = switch (type) {
			case READ -> Mode.READ;
			case WRITE -> Mode.WRITE;
			default -> Mode.EXCLUSIVE;
		};
		int others = (this.random.nextInt(6) == 0) ? 1 + this.random.nextInt(2) : 0;
		List<String> keys = Stream
			.concat(Stream.of(key), IntStream.range(0, others).mapToObj((i) -> this.worker.nextKey()))
			.distinct()
			.toList();
		return new Request(keys, options, mode, 1, 1);
	}

	/**
	 * Return options with which half of the leases are retained, and some acquisitions
	 * wait for no more than a recall.
	 */
	private LockOptions retained(LockOptions options) {
		LockOptions some = (this.random.nextInt(4) == 0) ? options.withWaitTime(Duration.ZERO) : options;
		return this.random.nextBoolean()
				? some.withRetain(this.worker.nextDuration(this.worker.settings().lease().multipliedBy(3))) : some;
	}

	private @Nullable LockHandle acquire(Claim claim, Request request) {
		try {
			LockHandle handle = (request.keys().size() == 1) ? this.locks.tryAcquire(request.key(), request.options())
					: this.locks.tryAcquireAll(request.keys(), request.options());
			if (handle == null) {
				claim.denied();
				return null;
			}
			claim.granted(handle);
			return handle;
		}
		catch (LockException | ClientError ex) {
			claim.failed(ex);
			return null;
		}
	}

	/**
	 * Change a claim to one key.
	 * @return what is to be released
	 */
	private LockHandle change(Claim claim, Request request, LockHandle handle) {
		if (request.keys().size() > 1 || request.mode() == Mode.PERMITS) {
			return handle;
		}
		if (request.mode() == Mode.WRITE) {
			return downgrade(claim, request, handle);
		}
		if (request.options().type() == LockType.REENTRANT && !request.options().autoRenew()) {
			Duration lease = request.options().leaseTime();
			claim.change(Change.EXTENSION, lease.toNanos(),
					() -> this.process.client().lock(request.key(), request.options()).extend(lease));
			claim.hold(handle);
		}
		else {
			LockHandle again = reenter(claim, request, request.options().type());
			if (again != null) {
				claim.hold(again);
				this.worker.attempt(() -> {
					again.close();
					return true;
				});
			}
		}
		return handle;
	}

	/**
	 * Release the write lock while the read lock is held, too.
	 */
	private LockHandle downgrade(Claim claim, Request request, LockHandle write) {
		LockHandle read = reenter(claim, request, LockType.READ);
		if (read == null) {
			return write;
		}
		if (claim.change(Change.DOWNGRADE, 0, write::close)) {
			claim.tellLoss(read);
			claim.hold(read);
		}
		return read;
	}

	private @Nullable LockHandle reenter(Claim claim, Request request, LockType type) {
		LockOptions options = request.options().withType(type).withWaitTime(Duration.ZERO);
		LockHandle again = this.worker.attempt(() -> this.locks.tryAcquire(request.key(), options));
		if (again != null) {
			claim.reentered(again, (type == LockType.READ) ? Mode.READ : request.mode());
		}
		return again;
	}

	/**
	 * What a worker asks for.
	 */
	private record Request(List<String> keys, LockOptions options, Mode mode, int permits, int limit) {

		String key() {
			return this.keys.get(0);
		}

		LockFact.Requested toFact(long operation, LockTemplate locks) {
			long lease = this.options.autoRenew() ? 0 : this.options.leaseTime().toNanos();
			return new LockFact.Requested(operation, this.keys.stream().map(locks::storeKey).toList(), this.mode,
					this.permits, this.limit, this.options.type() == LockType.FAIR, lease,
					this.options.waitTime().toNanos(), this.options.retain().toNanos());
		}

	}

}
