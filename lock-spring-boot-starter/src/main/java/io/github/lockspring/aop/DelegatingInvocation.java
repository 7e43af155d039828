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

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Call that delegates to another call, but proceeds in its own way.
 *
 * @param invocation the other call
 * @param body what proceeds
 */
record DelegatingInvocation(MethodInvocation invocation, Body body) implements DetachableInvocation {

	@Override
	public MethodInvocation detach() {
		return new DelegatingInvocation(DetachableInvocation.detach(this.invocation), this.body);
	}

	@Override
	public @Nullable Object proceed() throws Throwable {
		return this.body.proceed(this.invocation);
	}

	@Override
	public Method getMethod() {
		return this.invocation.getMethod();
	}

	@Override
	public @Nullable Object[] getArguments() {
		return this.invocation.getArguments();
	}

	@Override
	public @Nullable Object getThis() {
		return this.invocation.getThis();
	}

	@Override
	public AccessibleObject getStaticPart() {
		return this.invocation.getStaticPart();
	}

	@Override
	public String toString() {
		return this.invocation.toString();
	}

	/**
	 * What proceeds instead of a call.
	 */
	@FunctionalInterface
	interface Body {

		@Nullable Object proceed(MethodInvocation invocation) throws Throwable;

	}

}
