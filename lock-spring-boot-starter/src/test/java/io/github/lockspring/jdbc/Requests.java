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

package io.github.lockspring.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.ValueChange;
import io.github.lockspring.spi.ValueUpdate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests of one process.
 */
final class Requests {

	static final Duration LEASE_TIME = Duration.ofSeconds(30);

	static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final String INSTANCE = OwnerId.newInstance();

	private static final AtomicLong SEQUENCE = new AtomicLong();

	private Requests() {
	}

	static LeaseRequest of(String key) {
		return new LeaseRequest(key, terms(1), INSTANCE, SEQUENCE.incrementAndGet());
	}

	static LeaseRequest of(List<String> keys) {
		return new LeaseRequest(keys, terms(1), new OwnerId(INSTANCE, SEQUENCE.incrementAndGet()));
	}

	static LeaseRequest of(String key, LeaseMode mode, boolean fair) {
		return new LeaseRequest(key, new LeaseTerms(mode, fair, LEASE_TIME, 1), INSTANCE, SEQUENCE.incrementAndGet());
	}

	static ValueUpdate update(String key, ValueChange change) {
		return new ValueUpdate(key, change, new OwnerId(INSTANCE, SEQUENCE.incrementAndGet()));
	}

	static LeaseRequest block(String key, int tokens) {
		return new LeaseRequest(key, terms(tokens), INSTANCE, SEQUENCE.incrementAndGet());
	}

	private static LeaseTerms terms(int tokens) {
		return new LeaseTerms(LeaseMode.EXCLUSIVE, false, LEASE_TIME, tokens);
	}

	static LeaseRequest acquired(LockBackend backend, String key) {
		LeaseRequest request = of(key);
		assertThat(acquires(backend, request)).as("attempt of the " + request).isTrue();
		return request;
	}

	static boolean acquires(LockBackend backend, LeaseRequest request) {
		return backend.tryAcquire(request, TIMEOUT) instanceof Grant;
	}

}
