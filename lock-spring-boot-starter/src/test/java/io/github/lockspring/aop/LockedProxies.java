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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

import io.github.lockspring.LockHandle;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockType;
import io.github.lockspring.LockUtils;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.local.LocalStores;
import io.github.lockspring.test.SettableTime;

/**
 * Makes proxies by hand. Belongs in a field of the test; {@link #close()} in a method
 * that runs after each test.
 */
public final class LockedProxies implements AutoCloseable {

	public static final LockOptions TRY_ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	public final SettableTime time = new SettableTime();

	public final LocalStore store = new LocalStore(this.time);

	public final RecordingBackend backend = new RecordingBackend(this.store);

	public final GenericApplicationContext context = new GenericApplicationContext();

	private final List<LockEngine> engines = new ArrayList<>();

	private final LockTemplate template = template(this.backend);

	private final LockTemplate other = template(new RecordingBackend(this.store));

	private final DistributedLockAdvisor advisor;

	public LockedProxies(Object... properties) {
		this(defaults(TRY_ONCE, null), properties);
	}

	public LockedProxies(LockDefaults defaults, Object... properties) {
		for (int i = 0; i < properties.length; i += 2) {
			this.context.getEnvironment()
				.getPropertySources()
				.addLast(new MapPropertySource("p" + i, Map.of((String) properties[i], properties[i + 1])));
		}
		this.context.registerBean("lockTemplate", LockTemplate.class, () -> this.template);
		this.context.refresh();
		this.advisor = new DistributedLockAdvisor(
				new DistributedLockInterceptor(this.context.getDefaultListableBeanFactory(), () -> defaults,
						() -> this.context.getBean(LockTemplate.class), true));
	}

	/**
	 * Return proxies that reject calls inside transactions.
	 */
	static LockedProxies rejectingTransactions() {
		return new LockedProxies(
				new LockDefaults(TRY_ONCE, null, true, true, Map.of(), new LockDefaults.Jpa(true, false)));
	}

	/**
	 * Return defaults without overrides.
	 */
	public static LockDefaults defaults(LockOptions options, @Nullable Duration renewInterval) {
		return new LockDefaults(options, renewInterval, false, true, Map.of(), new LockDefaults.Jpa(true, false));
	}

	private LockTemplate template(RecordingBackend backend) {
		LockEngine engine = new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, this.time);
		this.engines.add(engine);
		return LockUtils.template(LockEngines.of(engine), "lock:", TRY_ONCE);
	}

	/**
	 * Proxies a bean, with its class, as Spring does when the bean is created.
	 */
	@SuppressWarnings("unchecked")
	public <T> T proxy(T target) {
		return (T) factory(target, true).getProxy();
	}

	/**
	 * Proxies a bean with one of its interfaces.
	 */
	public <T> T proxy(Object target, Class<T> type) {
		return type.cast(factory(target, false).getProxy());
	}

	private ProxyFactory factory(Object target, boolean proxyTargetClass) {
		ProxyFactory factory = new ProxyFactory(target);
		factory.setProxyTargetClass(proxyTargetClass);
		if (AopUtils.canApply((Advisor) this.advisor, target.getClass())) {
			factory.addAdvisor(this.advisor);
		}
		return factory;
	}

	/**
	 * Locks a key in another process.
	 */
	public LockHandle holdElsewhere(String key) {
		return holdElsewhere(key, LockType.REENTRANT);
	}

	public LockHandle holdElsewhere(String key, LockType type) {
		return this.other.acquire(key, TRY_ONCE.withType(type));
	}

	/**
	 * Lets all leases of this process end in the store without a renewal.
	 */
	public void loseLeases() {
		this.backend.setDown(true);
		this.time.advance(Duration.ofMinutes(1));
		this.backend.setDown(false);
	}

	/**
	 * Locks in this process.
	 */
	public LockTemplate locks() {
		return this.template;
	}

	/**
	 * Locks in this process as {@code java.util.concurrent} has them.
	 */
	public LockClient client() {
		return new LockClient(this.template);
	}

	/**
	 * Locks in another process.
	 */
	public LockTemplate elsewhere() {
		return this.other;
	}

	/**
	 * Whether nothing is held, waited for or stored any more.
	 */
	public boolean isEmpty() {
		return LocalStores.size(this.store) == 0 && this.engines.stream().allMatch((engine) -> engine.size() == 0);
	}

	/**
	 * How many keys the proxies hold or wait for.
	 */
	public int size() {
		return this.engines.get(0).size();
	}

	public boolean isHeld(String key) {
		return !this.backend.inspect("lock:" + key, Duration.ofSeconds(1)).isEmpty();
	}

	@Override
	public void close() {
		this.context.close();
		this.engines.forEach(LockEngine::close);
	}

	/**
	 * Describes the annotations that an interceptor has read.
	 */
	public static List<String> annotationsOf(DistributedLockInterceptor interceptor) {
		return interceptor.source().known().stream().map((lock) -> lock.site().method() + lock.name()).toList();
	}

}
