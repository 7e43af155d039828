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
 * Base class of calls that delegate to another call, except for {@link #proceed()}.
 */
abstract class DelegatingInvocation implements MethodInvocation {

	private final MethodInvocation invocation;

	DelegatingInvocation(MethodInvocation invocation) {
		this.invocation = invocation;
	}

	@Override
	public final Method getMethod() {
		return this.invocation.getMethod();
	}

	@Override
	public final @Nullable Object[] getArguments() {
		return this.invocation.getArguments();
	}

	@Override
	public final @Nullable Object getThis() {
		return this.invocation.getThis();
	}

	@Override
	public final AccessibleObject getStaticPart() {
		return this.invocation.getStaticPart();
	}

	@Override
	public final String toString() {
		return this.invocation.toString();
	}

}
