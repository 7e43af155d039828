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

import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.ThreadContextElement;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockContext;
import io.github.lockspring.LockUtils;
import io.github.lockspring.LockUtils.WorkPart;

/**
 * Coroutine context element that propagates the locks of a suspending function to each
 * thread that runs a part of it.
 */
final class CoroutineLocks extends AbstractCoroutineContextElement implements ThreadContextElement<WorkPart> {

	private static final CoroutineContext.Key<CoroutineLocks> KEY = new CoroutineContext.Key<>() {
	};

	private final LockContext locks;

	private CoroutineLocks(LockContext locks) {
		super(KEY);
		this.locks = locks;
	}

	/**
	 * Add locks to the coroutine context of the function about to be called.
	 * @param invocation the call of a suspending function
	 * @param locks the locks that it holds
	 */
	static void addTo(MethodInvocation invocation, LockContext locks) {
		@Nullable Object[] arguments = invocation.getArguments();
		int last = arguments.length - 1;
		if (arguments[last] instanceof Continuation<?> continuation) {
			arguments[last] = new WithContext<>(continuation,
					continuation.getContext().plus(new CoroutineLocks(locks)));
		}
	}

	@Override
	public WorkPart updateThreadContext(CoroutineContext context) {
		return LockUtils.begin(this.locks);
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, WorkPart part) {
		part.close();
	}

	/**
	 * Continuation with an extended context.
	 *
	 * @param <T> the type of the result
	 */
	private static final class WithContext<T> implements Continuation<T> {

		private final Continuation<T> continuation;

		private final CoroutineContext context;

		WithContext(Continuation<T> continuation, CoroutineContext context) {
			this.continuation = continuation;
			this.context = context;
		}

		@Override
		public CoroutineContext getContext() {
			return this.context;
		}

		@Override
		public void resumeWith(Object result) {
			this.continuation.resumeWith(result);
		}

	}

}
