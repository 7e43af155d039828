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

package io.github.lockspring.aop.aspectj;

import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;

import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.junit.jupiter.api.Test;

import io.github.lockspring.aop.DetachableInvocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link JoinPointInvocation} with a join point that, like those of AspectJ,
 * keeps the arguments of its latest call.
 */
class JoinPointInvocationTests {

	private Object[] latest = {};

	private Runnable body = () -> {
	};

	private final JoinPointInvocation invocation = new JoinPointInvocation(joinPoint());

	@Test
	void changedArgumentsArePassed() throws Throwable {
		this.invocation.getArguments()[0] = "changed";
		assertThat(this.invocation.proceed()).isEqualTo("changed");
	}

	@Test
	void detachedCallHasArgumentsOfItsOwn() throws Throwable {
		MethodInvocation detached = DetachableInvocation.detach(this.invocation);
		detached.getArguments()[0] = "changed";
		assertThat(this.invocation.proceed()).isEqualTo("given");
		assertThat(detached.proceed()).isEqualTo("changed");
	}

	@Test
	void argumentsOfOneCallAreNotPassedToAnother() throws Throwable {
		AtomicReference<Object> other = new AtomicReference<>();
		MethodInvocation detached = DetachableInvocation.detach(this.invocation);
		detached.getArguments()[0] = "other";
		Thread thread = new Thread(() -> other.set(proceed(detached)));
		this.body = () -> {
			this.body = () -> {
			};
			thread.start();
			await().until(() -> thread.getState() == Thread.State.WAITING || !thread.isAlive());
		};
		assertThat(this.invocation.proceed()).isEqualTo("given");
		thread.join();
		assertThat(other).hasValue("other");
	}

	private static Object proceed(MethodInvocation invocation) {
		try {
			return invocation.proceed();
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	private ProceedingJoinPoint joinPoint() {
		return (ProceedingJoinPoint) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { ProceedingJoinPoint.class }, (proxy, method, arguments) -> switch (method.getName()) {
					case "getArgs" -> new Object[] { "given" };
					case "proceed" -> run((Object[]) arguments[0]);
					default -> throw new UnsupportedOperationException(method.getName());
				});
	}

	private Object run(Object[] arguments) {
		this.latest = arguments;
		this.body.run();
		return this.latest[0];
	}

}
