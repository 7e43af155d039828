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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.OnFailure;
import io.github.lockspring.OnLost;
import io.github.lockspring.aop.DistributedLockAdvisor;
import io.github.lockspring.aop.DistributedLockInterceptor;
import io.github.lockspring.aop.LockDefaults;

/**
 * Bean whose methods run what they are given under locks, because of their annotations.
 * It can be proxied, and is without state.
 */
public class LockedMethods {

	static final String NAME = "methods";

	static final int PERMITS = 2;

	/**
	 * Create a proxy, as Spring does for a bean.
	 * @param locks acquires the locks
	 * @param executor runs methods that return a stage
	 * @return the proxy
	 */
	static LockedMethods proxy(LockTemplate locks, Executor executor) {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerSingleton("applicationTaskExecutor", executor);
		LockDefaults defaults = new LockDefaults(locks.defaultOptions(), null, false, true, Map.of(),
				new LockDefaults.Jpa(false, false));
		DistributedLockInterceptor interceptor = new DistributedLockInterceptor(beans, () -> defaults, () -> locks,
				true);
		ProxyFactory factory = new ProxyFactory(new LockedMethods());
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new DistributedLockAdvisor(interceptor));
		return (LockedMethods) factory.getProxy();
	}

	@DistributedLock(name = NAME, key = "#key", waitTime = "#waitTime")
	public void exclusive(String key, Duration waitTime, Body body) {
		body.run();
	}

	@DistributedLock(name = NAME, key = "#key", waitTime = "#waitTime", type = LockType.FAIR)
	public void fair(String key, Duration waitTime, Body body) {
		body.run();
	}

	@DistributedLock(name = NAME, key = "#key", waitTime = "#waitTime", type = LockType.READ)
	public void read(String key, Duration waitTime, Body body) {
		body.run();
	}

	@DistributedLock(name = NAME, key = "#key", waitTime = "#waitTime", type = LockType.WRITE)
	public void write(String key, Duration waitTime, Body body) {
		body.run();
	}

	@DistributedLock(name = NAME, key = "#key", waitTime = "#waitTime", autoRenew = "false")
	public void fixed(String key, Duration waitTime, Body body) {
		body.run();
	}

	@DistributedLock(name = NAME, key = "#key", waitTime = "#waitTime", onLost = OnLost.INTERRUPT,
			onFailure = OnFailure.FALLBACK, fallback = "denied")
	public void orElse(String key, Duration waitTime, Body body) {
		body.run();
	}

	void denied(String key, Duration waitTime, Body body, LockException failure) {
		body.failed().accept(failure);
	}

	@DistributedSemaphore(name = NAME + "-permits", key = "#key", waitTime = "#waitTime", permits = "" + PERMITS)
	public void permit(String key, Duration waitTime, Body body) {
		body.run();
	}

	@DistributedLock(name = NAME, key = "#key", waitTime = "#waitTime")
	public CompletableFuture<Void> stage(String key, Duration waitTime, Body body, Executor executor) {
		LockHandle handle = LockContext.current();
		return CompletableFuture.runAsync(() -> body.held().accept(handle), executor);
	}

	/**
	 * What a method does.
	 *
	 * @param held is given the lock
	 * @param failed is given the reason if there is none, unless that is thrown
	 */
	record Body(Consumer<LockHandle> held, Consumer<LockException> failed) {

		void run() {
			this.held.accept(LockContext.current());
		}

	}

}
