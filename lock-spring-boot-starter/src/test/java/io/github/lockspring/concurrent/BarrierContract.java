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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What {@link DistributedBarrier} promises on every backend, as tests.
 */
public abstract class BarrierContract extends LockClientContract {

	private DistributedBarrier barrier;

	/**
	 * The same barrier in another process.
	 */
	private DistributedBarrier elsewhere;

	/**
	 * Creates a suite.
	 * @param processes the two processes
	 */
	protected BarrierContract(LockProcesses processes) {
		super(processes);
	}

	@BeforeEach
	void createBarriers() {
		requiresValues();
		this.barrier = this.one.client.barrier(this.key);
		this.elsewhere = this.two.client.barrier(this.key);
	}

	@Test
	void barrierThatIsNotSetDoesNotBlock() throws InterruptedException {
		assertThat(this.barrier.isSet()).isFalse();
		this.barrier.removeBarrier();
		this.barrier.waitOnBarrier();
		assertThat(this.barrier.waitOnBarrier(0, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	@Tag(EVERYWHERE)
	void barrierBlocksUntilItIsRemoved() throws InterruptedException {
		this.barrier.setBarrier();
		this.elsewhere.setBarrier();
		assertThat(this.elsewhere.isSet()).isTrue();
		assertThat(this.elsewhere.waitOnBarrier(0, TimeUnit.SECONDS)).isFalse();
		assertThat(this.elsewhere.waitOnBarrier(SHORT)).isFalse();
		List<TestThread<Boolean>> waiting = List.of(start(() -> this.barrier.waitOnBarrier(LONG)),
				start(() -> this.elsewhere.waitOnBarrier(LONG)), start(() -> {
					this.elsewhere.waitOnBarrier();
					return true;
				}));
		this.elsewhere.removeBarrier();
		assertThat(waiting).allSatisfy((thread) -> assertThat(thread.get()).isTrue());
		assertThat(this.barrier.isSet()).isFalse();
	}

	@Test
	void threadThatWaitedForAFormerBarrierIsReleased() {
		this.barrier.setBarrier();
		TestThread<Boolean> waiting = start(() -> this.barrier.waitOnBarrier(LONG));
		awaitWatch(this.one, waiting);
		for (int i = 0; i < 5; i++) {
			this.elsewhere.removeBarrier();
			this.elsewhere.setBarrier();
		}
		assertThat(waiting.get()).isTrue();
	}

	@Test
	void waitIsInterruptible() {
		assertInterruptedOnEntry(this.barrier::waitOnBarrier);
		this.barrier.setBarrier();
		TestThread<Boolean> waiting = start(() -> this.barrier.waitOnBarrier(LONG));
		awaitWatch(this.one, waiting);
		assertInterrupted(waiting);
	}

	@Test
	void asynchronousFormsDoTheSame() {
		assertThat(result(this.barrier.setBarrierAsync())).isNull();
		assertThat(result(this.elsewhere.waitOnBarrierAsync(SHORT))).isFalse();
		CompletableFuture<Boolean> removed = this.elsewhere.waitOnBarrierAsync(LONG);
		assertThat(result(this.barrier.removeBarrierAsync())).isNull();
		assertThat(result(removed)).isTrue();
	}

}
