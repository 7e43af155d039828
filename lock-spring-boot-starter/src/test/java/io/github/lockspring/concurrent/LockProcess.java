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

package io.github.lockspring.concurrent;

import java.time.Duration;
import java.util.List;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockTemplateBuilder;
import io.github.lockspring.LockUtils;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdateResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process as an application is one: a backend, and what makes locks on it.
 */
final class LockProcess implements AutoCloseable {

	private final LockBackend backend;

	private final LockTemplate template;

	final LockClient client;

	private volatile boolean closed;

	/**
	 * Starts a process.
	 * @param backend a backend that has not been started
	 */
	LockProcess(LockBackend backend) {
		this(backend, LockTemplate.builder(backend));
	}

	/**
	 * Starts a process that renews leases more often than it must.
	 * @param backend a backend that has not been started
	 * @param renewInterval the interval
	 */
	LockProcess(LockBackend backend, Duration renewInterval) {
		this(backend, LockTemplate.builder(backend).renewInterval(renewInterval));
	}

	private LockProcess(LockBackend backend, LockTemplateBuilder builder) {
		this.backend = backend;
		this.template = builder.operationTimeout(Duration.ofSeconds(30)).shutdownTimeout(Duration.ZERO).build();
		this.client = new LockClient(this.template);
	}

	String backendName() {
		return this.backend.name();
	}

	boolean has(Capability capability) {
		return this.backend.capabilities().contains(capability);
	}

	/**
	 * Returns the identifier of the process in the store.
	 */
	String instance() {
		return LockUtils.engine(this.template).inspection().instance();
	}

	/**
	 * Returns the number in the store.
	 */
	long number(String storeKey) {
		return LockUtils.engine(this.template).values().read(storeKey).number();
	}

	/**
	 * Changes a number in the store.
	 */
	ValueUpdateResult update(String storeKey, ValueChange change) {
		return LockUtils.engine(this.template).values().update(storeKey, change);
	}

	/**
	 * Returns the holders of a key in the store.
	 */
	List<LeaseHolder> holders(String storeKey) {
		return LockUtils.engine(this.template).inspection().holders(storeKey);
	}

	/**
	 * Acquires a key in the store.
	 */
	boolean acquire(String storeKey, LockOptions options) throws InterruptedException {
		return LockUtils.engine(this.template)
			.acquire(storeKey, LockUtils.acquireOptions(options), new Object(), 0) != null;
	}

	/**
	 * Returns how many values are waited for.
	 */
	int awaitedValues() {
		return LockUtils.engine(this.template).values().size();
	}

	/**
	 * Releases a lease as an operator does.
	 */
	void forceRelease(String storeKey, LeaseHolder holder) {
		assertThat(LockUtils.engine(this.template).inspection().forceReleaseAsync(storeKey, holder).join()).isTrue();
	}

	boolean hasValues() {
		return this.backend.values().isPresent();
	}

	boolean expiresValues() {
		return this.backend.values().orElseThrow().expiresValues();
	}

	boolean isClosed() {
		return this.closed;
	}

	@Override
	public void close() {
		this.closed = true;
		this.template.close();
	}

}
