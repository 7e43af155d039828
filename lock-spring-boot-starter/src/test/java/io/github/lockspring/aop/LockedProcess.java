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

import java.time.Duration;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.support.GenericApplicationContext;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.TimeSource;

/**
 * A process whose threads really wait: with an engine of its own on a store that
 * processes share.
 */
final class LockedProcess implements AutoCloseable {

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofSeconds(60));

	private final GenericApplicationContext context = new GenericApplicationContext();

	private final LockEngine engine;

	private final DistributedLockAdvisor advisor;

	LockedProcess(LocalStore store) {
		this.engine = new LockEngine(new LocalLockBackend(store), EngineSettings.defaults(), EngineListener.NONE,
				TimeSource.SYSTEM);
		LockTemplate template = LockUtils.template(LockEngines.of(this.engine), "lock:", PATIENT);
		this.context.refresh();
		this.advisor = new DistributedLockAdvisor(
				new DistributedLockInterceptor(this.context.getDefaultListableBeanFactory(),
						() -> LockedProxies.defaults(PATIENT, null), () -> template, true));
	}

	@SuppressWarnings("unchecked")
	<T> T proxy(T target) {
		ProxyFactory factory = new ProxyFactory(target);
		factory.setProxyTargetClass(true);
		factory.addAdvisor(this.advisor);
		return (T) factory.getProxy();
	}

	@Override
	public void close() {
		this.context.close();
		this.engine.close();
	}

}
