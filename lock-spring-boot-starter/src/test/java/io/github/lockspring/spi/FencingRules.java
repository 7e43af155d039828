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

package io.github.lockspring.spi;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of fencing tokens.
 */
abstract class FencingRules extends BackendRules {

	private static final int BLOCK = 256;

	FencingRules(LockBackendContractTests contract) {
		super(contract);
	}

	@BeforeEach
	void requireFencing() {
		requires(Capability.FENCING);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void tokensGrowOverReleases() {
		long last = 0;
		for (int i = 0; i < 10; i++) {
			BackendProcess process = (i % 3 == 0) ? this.one : this.two;
			LeaseRequest request = process.request(this.key);
			long token = process.acquire(request).token();
			assertThat(token).isGreaterThan(last);
			last = token;
			process.release(request);
		}
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void tokensGrowOverExpiry() {
		long last = 0;
		for (int i = 0; i < 10; i++) {
			BackendProcess process = (i % 3 == 0) ? this.one : this.two;
			LeaseRequest request = process.request(this.key);
			long token = process.acquire(request).token();
			assertThat(token).isGreaterThan(last);
			last = token;
			expire(request);
		}
	}

	@Test
	void tokensGrowBeyondTheBlockThatWasReleased() {
		LeaseRequest block = this.one.request(this.key, block());
		long first = this.one.acquire(block).token();
		this.one.release(block);
		assertThat(this.two.acquire(this.two.request(this.key)).token()).isGreaterThan(first + BLOCK - 1);
	}

	@Test
	void tokensGrowBeyondTheBlockThatExpired() {
		LeaseRequest block = this.one.request(this.key, block());
		long first = this.one.acquire(block).token();
		expire(block);
		assertThat(this.two.acquire(this.two.request(this.key)).token()).isGreaterThan(first + BLOCK - 1);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void blocksNeverOverlap() {
		long last = 0;
		for (int i = 0; i < 20; i++) {
			BackendProcess process = (i % 2 == 0) ? this.one : this.two;
			LeaseRequest request = process.request(this.key, block());
			long token = process.acquire(request).token();
			assertThat(token).isGreaterThan(last);
			last = token + BLOCK - 1;
			process.release(request);
		}
	}

	@Test
	void blocksOfPermitsNeverOverlap() {
		requires(Capability.PERMITS);
		long last = 0;
		for (int i = 0; i < 6; i++) {
			BackendProcess process = (i % 2 == 0) ? this.one : this.two;
			LeaseRequest request = process.request(this.key, block(LeaseMode.permits(1, 8)));
			long token = process.acquire(request).token();
			assertThat(token).isGreaterThan(last);
			assertThat(process.acquire(request).token()).isEqualTo(token);
			last = token + BLOCK - 1;
		}
	}

	@Test
	void tokenBelongsToTheLeaseWhateverOthersTry() {
		LeaseRequest request = this.one.request(this.key);
		long token = this.one.acquire(request).token();
		this.two.tryAcquire(this.two.request(this.key));
		this.two.release(this.two.request(this.key));
		assertThat(this.one.acquire(request).token()).isEqualTo(token);
	}

	private static LeaseTerms block() {
		return block(LeaseMode.EXCLUSIVE);
	}

	private static LeaseTerms block(LeaseMode mode) {
		return new LeaseTerms(mode, false, BackendProcess.LEASE_TIME, BLOCK);
	}

}
