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

package io.github.lockspring.faults;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockTemplateBuilder;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LockBackend;

/**
 * A process that uses a {@link LockTemplate}, with connections of its own. It can be cut
 * off from the store, and it can end without a release.
 */
public final class TemplateProcess implements AutoCloseable {

	private static final Set<String> LOCAL = Set.of("start", "close", "name", "address", "capabilities", "warnings",
			"maxLeaseTime", "renewalBatchSize", "reopened");

	/**
	 * Long enough on a machine with much else to do.
	 */
	private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(20);

	public final LockTemplate locks;

	private final StoreClient client;

	private volatile boolean cut;

	private boolean dead;

	private @Nullable BackendListener listener;

	/**
	 * Starts a process.
	 * @param store what it connects to
	 * @param leaseTime the default lease time
	 */
	public TemplateProcess(Store store, Duration leaseTime) {
		this(store, leaseTime, leaseTime.dividedBy(3));
	}

	/**
	 * Starts a process that renews leases more often than it must.
	 * @param store what it connects to
	 * @param leaseTime the default lease time
	 * @param renewInterval the interval
	 */
	public TemplateProcess(Store store, Duration leaseTime, Duration renewInterval) {
		this.client = store.connect(EngineSettings.defaults().withOperationTimeout(OPERATION_TIMEOUT));
		this.locks = builder(this.client.backend()).keyPrefix("process")
			.leaseTime(leaseTime)
			.renewInterval(renewInterval)
			.operationTimeout(OPERATION_TIMEOUT)
			.shutdownTimeout(Duration.ZERO)
			.build();
	}

	private LockTemplateBuilder builder(LockBackend backend) {
		return LockTemplate.builder((LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockBackend.class }, (proxy, method, arguments) -> call(backend, method, arguments)));
	}

	private @Nullable Object call(LockBackend backend, Method method, Object... arguments) throws Throwable {
		if (this.cut && !LOCAL.contains(method.getName())) {
			throw new BackendUnavailableException("The process is cut off", null);
		}
		if (method.getName().equals("start")) {
			this.listener = (BackendListener) arguments[0];
		}
		try {
			return method.invoke(backend, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	/**
	 * The listener for what the backend notifies of.
	 */
	public BackendListener listener() {
		return this.listener;
	}

	/**
	 * Makes every call to the store fail, at once and without an effect.
	 */
	public void cutOff() {
		this.cut = true;
	}

	/**
	 * Lets calls reach the store again.
	 */
	public void reconnect() {
		this.cut = false;
	}

	/**
	 * Ends without a release, as a process does that is killed.
	 */
	public void die() {
		cutOff();
		this.dead = true;
		this.client.close();
	}

	@Override
	public void close() {
		this.locks.close();
		if (!this.dead) {
			this.client.close();
		}
	}

}
