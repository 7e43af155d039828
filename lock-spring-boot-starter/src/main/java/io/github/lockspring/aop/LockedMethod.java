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

package io.github.lockspring.aop;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockType;

/**
 * Method with its locks and its invoker.
 */
final class LockedMethod {

	/**
	 * Acquisition order, which is the same for all callers to prevent deadlocks. The
	 * holder of a write lock can acquire the read lock, but not the reverse.
	 */
	private static final Comparator<LockInvocation> ORDER = Comparator
		.comparing((LockInvocation lockInvocation) -> lockInvocation.lock().template().backendName())
		.thenComparing(LockInvocation::firstStoreKey)
		.thenComparing((lockInvocation) -> lockInvocation.options().type() == LockType.READ);

	private final List<LockOperation> locks;

	private final @Nullable LockOperation only;

	private final MethodAttributes attributes;

	private final int handleIndex;

	private final LockedInvoker invoker;

	private final boolean withSemaphore;

	LockedMethod(MethodAttributes attributes, List<LockOperation> locks, LockedInvoker invoker) {
		this.attributes = attributes;
		this.locks = locks;
		this.only = (locks.size() == 1) ? locks.get(0) : null;
		this.handleIndex = attributes.handleIndex();
		this.invoker = invoker;
		this.withSemaphore = locks.stream().anyMatch((lock) -> lock.attributes().isSemaphore());
	}

	AnnotatedMethod site() {
		return this.attributes.locks().get(0).site();
	}

	/**
	 * Return the invoker of this method.
	 */
	public LockedInvoker invoker() {
		return this.invoker;
	}

	/**
	 * Return the lock if there is only one, or {@code null}.
	 */
	@Nullable LockOperation onlyLock() {
		return this.only;
	}

	/**
	 * Return the lock invocations for a call, in the order of acquisition.
	 * @param invocation the call
	 * @return the lock invocations, empty if no condition is met
	 * @throws IllegalStateException if the call would wait for itself
	 */
	List<LockInvocation> lockInvocationsOf(MethodInvocation invocation) {
		List<LockInvocation> lockInvocations = new ArrayList<>(this.locks.size());
		for (LockOperation lock : this.locks) {
			if (lock.applies(invocation)) {
				lockInvocations.add(new LockInvocation(lock, lock.keyOf(invocation), lock.optionsOf(invocation)));
			}
		}
		lockInvocations.sort(ORDER);
		if (this.withSemaphore) {
			requireNoWaitForItself(lockInvocations);
		}
		return lockInvocations;
	}

	/**
	 * Reject a call that needs a key as a lock and as a semaphore, or more permits than
	 * there are.
	 */
	private static void requireNoWaitForItself(List<LockInvocation> lockInvocations) {
		Map<String, List<LockInvocation>> byKey = new HashMap<>();
		for (LockInvocation each : lockInvocations) {
			LockOperation lock = each.lock();
			for (String storeKey : lock.storeKeys(each.key())) {
				List<LockInvocation> before = byKey.computeIfAbsent(lock.template().backendName() + ' ' + storeKey,
						(key) -> new ArrayList<>());
				int permits = (int) before.stream().filter((other) -> other.attributes().isSemaphore()).count();
				CallerLocks.requireFree(each, storeKey, permits, permits < before.size());
				before.add(each);
			}
		}
	}

	ReturnType returnType() {
		return this.attributes.returnType();
	}

	/**
	 * Return whether the handle of a lock is passed as an argument: the handle of the
	 * first annotation is, if the method has such a parameter.
	 */
	boolean isOffered(LockOperation lock) {
		return this.handleIndex >= 0 && lock == this.locks.get(0);
	}

	/**
	 * Pass the handle as an argument.
	 * @param lock the handle of the held lock
	 * @param invocation the call
	 */
	void offer(@Nullable LockHandle lock, MethodInvocation invocation) {
		invocation.getArguments()[this.handleIndex] = lock;
	}

}
