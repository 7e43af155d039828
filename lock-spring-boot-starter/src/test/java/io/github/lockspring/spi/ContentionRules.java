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

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of many owners who want the same key at once.
 */
abstract class ContentionRules extends BackendRules {

	private static final int THREADS = 4;

	private static final int ACQUISITIONS = (Integer.getInteger("lock.test.scale", 1) > 1) ? 1000 : 400;

	private final AtomicInteger holders = new AtomicInteger();

	private final AtomicInteger mostHolders = new AtomicInteger();

	private int counter;

	ContentionRules(LockBackendContractTests contract) {
		super(contract);
	}

	/**
	 * An unguarded counter, the number of those inside and their tokens, in one run: to
	 * acquire so often takes seconds.
	 */
	@Test
	void holdersExcludeEachOtherAndHaveGrowingTokens() {
		AtomicLong lastToken = new AtomicLong();
		AtomicInteger tooSmall = new AtomicInteger();
		contend((grant) -> {
			this.mostHolders.accumulateAndGet(this.holders.incrementAndGet(), Math::max);
			if (grant.token() <= lastToken.getAndSet(grant.token())) {
				tooSmall.incrementAndGet();
			}
			int counted = this.counter;
			Thread.yield();
			this.counter = counted + 1;
			this.holders.decrementAndGet();
		});
		assertThat(this.mostHolders).hasValue(1);
		assertThat(this.counter).isEqualTo(ACQUISITIONS);
		if (this.one.has(Capability.FENCING)) {
			assertThat(tooSmall).hasValue(0);
		}
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void contendersThatComeAndGoNeverMeetAndLeaveNothing() {
		inParallel(THREADS, (process) -> {
			for (int i = 0; i < 60; i++) {
				LeaseRequest request = process.request(this.key);
				boolean cancels = process.contend(request) instanceof Denial && i % 3 == 0;
				if (!cancels) {
					process.awaitGrant(request);
					this.mostHolders.accumulateAndGet(this.holders.incrementAndGet(), Math::max);
					this.holders.decrementAndGet();
				}
				process.release(request);
			}
			return process;
		});
		assertThat(this.mostHolders).hasValue(1);
		LeaseRequest next = this.one.request(this.key);
		await().until(() -> this.one.acquires(next));
	}

	private void contend(Consumer<Grant> critical) {
		inParallel(THREADS, (process) -> {
			for (int i = 0; i < ACQUISITIONS / THREADS; i++) {
				LeaseRequest request = process.request(this.key);
				Grant grant = process.spinUntilAcquired(request);
				critical.accept(grant);
				assertThat(process.release(request)).isTrue();
			}
			return process;
		});
	}

}
