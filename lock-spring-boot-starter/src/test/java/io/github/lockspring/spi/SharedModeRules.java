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

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of {@link LeaseMode#SHARED}: readers stand side by side, writers alone.
 */
abstract class SharedModeRules extends BackendRules {

	SharedModeRules(LockBackendContractTests contract) {
		super(contract);
	}

	@BeforeEach
	void requireSharedMode() {
		requires(Capability.SHARED);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void readersStandSideBySide() {
		for (int i = 0; i < 10; i++) {
			BackendProcess process = (i % 2 == 0) ? this.one : this.two;
			assertThat(process.acquires(reader(process))).isTrue();
		}
		assertThat(this.one.inspect(this.key)).hasSize(10)
			.allSatisfy((holder) -> assertThat(holder.mode()).isEqualTo(LeaseMode.SHARED));
	}

	@Test
	void writerIsDeniedBesideReaders() {
		this.one.acquire(reader(this.one));
		this.two.acquire(reader(this.two));
		assertThat(this.two.acquires(writer(this.two))).isFalse();
	}

	@Test
	void readerIsDeniedBesideWriter() {
		this.one.acquire(writer(this.one));
		assertThat(this.one.acquires(reader(this.one))).isFalse();
		assertThat(this.two.acquires(reader(this.two))).isFalse();
	}

	@Test
	void releaseOfOneReaderLeavesTheOthersUntouched() {
		LeaseRequest leaving = reader(this.one);
		LeaseRequest staying = reader(this.two);
		this.one.acquire(leaving);
		this.two.acquire(staying);
		assertThat(this.one.release(leaving)).isTrue();
		assertThat(this.one.release(leaving)).isFalse();
		assertThat(this.one.acquires(writer(this.one))).isFalse();
		assertThat(this.two.renew(staying)).containsExactly(staying);
	}

	@Test
	void expiryOfOneReaderLeavesTheOthersUntouched() {
		LeaseRequest expired = reader(this.one);
		LeaseRequest staying = reader(this.two);
		this.one.acquire(expired);
		this.two.acquire(staying);
		expire(expired);
		assertThat(this.one.release(expired)).isFalse();
		assertThat(this.one.acquires(writer(this.one))).isFalse();
		assertThat(this.two.renew(staying)).containsExactly(staying);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void writerFollowsTheLastReader() {
		LeaseRequest released = reader(this.one);
		LeaseRequest expired = reader(this.two);
		this.one.acquire(released);
		this.two.acquire(expired);
		this.one.release(released);
		expire(expired);
		assertThat(this.one.acquires(writer(this.one))).isTrue();
	}

	@Test
	void readersFollowTheWriter() {
		LeaseRequest writer = writer(this.one);
		this.one.acquire(writer);
		this.one.release(writer);
		assertThat(this.one.acquires(reader(this.one))).isTrue();
		assertThat(this.two.acquires(reader(this.two))).isTrue();
	}

	@Test
	void readersFollowTheExpiredWriter() {
		LeaseRequest writer = writer(this.one);
		this.one.acquire(writer);
		expire(writer);
		this.one.acquire(reader(this.one));
		LeaseRequest reader = reader(this.two);
		this.two.acquire(reader);
		assertThat(this.one.renew(writer)).isEmpty();
		assertThat(this.one.release(writer)).isFalse();
		assertThat(this.two.renew(reader)).containsExactly(reader);
	}

	@Test
	void replayedReaderNeedsJustOneRelease() {
		LeaseRequest reader = reader(this.one);
		Grant grant = this.one.acquire(reader);
		assertThat(this.one.acquire(reader).token()).isEqualTo(grant.token());
		assertThat(this.one.inspect(this.key)).hasSize(1);
		assertThat(this.one.release(reader)).isTrue();
		assertThat(this.two.acquires(writer(this.two))).isTrue();
	}

	@Test
	void tokensGrowFromReaderToReaderToWriter() {
		requires(Capability.FENCING);
		LeaseRequest first = reader(this.one);
		LeaseRequest second = reader(this.two);
		long firstToken = this.one.acquire(first).token();
		long secondToken = this.two.acquire(second).token();
		this.one.release(first);
		this.two.release(second);
		assertThat(secondToken).isGreaterThan(firstToken);
		assertThat(this.one.acquire(writer(this.one)).token()).isGreaterThan(secondToken);
	}

	@Test
	void readersAndWritersNeverMeet() {
		AtomicInteger readers = new AtomicInteger();
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger meetings = new AtomicInteger();
		inParallel(4, (process) -> {
			for (int i = 0; i < 50; i++) {
				boolean writes = i % 4 == 0;
				LeaseRequest request = writes ? writer(process) : reader(process);
				process.spinUntilAcquired(request);
				(writes ? writers : readers).incrementAndGet();
				if (writers.get() > 1 || (writers.get() == 1 && readers.get() > 0)) {
					meetings.incrementAndGet();
				}
				(writes ? writers : readers).decrementAndGet();
				process.release(request);
			}
			return process;
		});
		assertThat(meetings).hasValue(0);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void readersAtTheHeadOfTheQueueFollowTheWriterTogether() {
		requires(Capability.QUEUE);
		LeaseRequest writer = this.one.acquire(this.key);
		LeaseRequest reader = this.two.queue(reader(this.two));
		LeaseRequest otherReader = this.one.queue(reader(this.one));
		this.one.release(writer);
		this.two.awaitNotification(reader);
		this.one.awaitNotification(otherReader);
		assertThat(this.one.inspect(this.key)).hasSize(2);
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void downgradedWriterReadsWithALargerToken() {
		LeaseRequest writer = writer(this.one);
		long token = this.one.acquire(writer).token();
		LeaseRequest reader = reader(this.one);
		Grant grant = downgrade(writer, reader);
		assertThat(grant.token()).isGreaterThan(token);
		assertThat(grant.validity()).isPositive();
		assertThat(this.two.inspect(this.key)).singleElement().satisfies((holder) -> {
			assertThat(holder.owner()).isEqualTo(reader.owner().toString());
			assertThat(holder.mode()).isEqualTo(LeaseMode.SHARED);
		});
		assertThat(this.one.renew(reader)).containsExactly(reader);
		assertThat(this.one.release(reader)).isTrue();
		assertThat(this.two.acquires(writer(this.two))).isTrue();
	}

	private Grant downgrade(LeaseRequest writer, LeaseRequest reader) {
		Attempt attempt = this.one.downgrade(writer, reader);
		assertThat(attempt).isInstanceOf(Grant.class);
		return (Grant) attempt;
	}

	@Test
	void readersAndNoWriterComeInAfterTheDowngrade() {
		LeaseRequest writer = this.one.acquire(this.key);
		downgrade(writer, reader(this.one));
		assertThat(this.two.acquires(writer(this.two))).isFalse();
		assertThat(this.two.acquires(reader(this.two))).isTrue();
	}

	@Test
	void formerWriterIsOverAfterTheDowngrade() {
		LeaseRequest writer = this.one.acquire(this.key);
		LeaseRequest reader = reader(this.one);
		downgrade(writer, reader);
		assertThat(this.one.renew(writer)).isEmpty();
		assertThat(this.one.release(writer)).isFalse();
		assertThat(this.one.renew(reader)).containsExactly(reader);
	}

	@Test
	void replayedDowngradeHasTheSameToken() {
		LeaseRequest writer = this.one.acquire(this.key);
		LeaseRequest reader = reader(this.one);
		long token = downgrade(writer, reader).token();
		assertThat(downgrade(writer, reader).token()).isEqualTo(token);
		assertThat(this.one.inspect(this.key)).hasSize(1);
		assertThat(this.one.release(reader)).isTrue();
		assertThat(this.two.acquires(writer(this.two))).isTrue();
	}

	@Test
	void writerThatIsOverCannotBeDowngraded() {
		LeaseRequest expired = this.one.acquire(this.key);
		expire(expired);
		assertThat(this.one.downgrade(expired, reader(this.one))).isInstanceOf(Denial.class);
		LeaseRequest successor = this.two.acquire(this.key);
		assertThat(this.one.downgrade(expired, reader(this.one))).isInstanceOf(Denial.class);
		assertThat(this.two.renew(successor)).containsExactly(successor);
		assertThat(this.two.release(successor)).isTrue();
		assertThat(this.one.inspect(this.key)).isEmpty();
	}

	@Test
	@Tag(LockBackendContractTests.EVERYWHERE)
	void waitingReaderComesInAfterTheDowngradeAndWaitingWriterDoesNot() {
		requires(Capability.QUEUE);
		LeaseRequest writer = this.one.acquire(this.key);
		LeaseRequest waitingReader = this.two.queue(reader(this.two));
		LeaseRequest waitingWriter = this.two.queue(writer(this.two));
		LeaseRequest reader = reader(this.one);
		downgrade(writer, reader);
		this.two.awaitNotification(waitingReader);
		assertThat(this.two.notifications().of(waitingWriter)).isEmpty();
		assertThat(this.two.contend(waitingWriter)).isInstanceOf(Denial.class);
		this.one.release(reader);
		this.two.release(waitingReader);
		this.two.awaitNotification(waitingWriter);
	}

	@Test
	void readersDoNotKeepAWaitingWriterOutForEver() {
		requires(Capability.QUEUE);
		LeaseRequest early = reader(this.one);
		this.one.acquire(early);
		LeaseRequest writer = this.two.queue(writer(this.two));
		assertThat(this.one.acquires(reader(this.one))).isFalse();
		LeaseRequest late = this.one.queue(reader(this.one));
		this.one.release(early);
		this.two.awaitNotification(writer);
		assertThat(this.one.acquires(reader(this.one))).isFalse();
		this.two.release(writer);
		this.one.awaitNotification(late);
		assertThat(this.two.acquires(reader(this.two))).isTrue();
	}

	private LeaseRequest reader(BackendProcess process) {
		return process.request(this.key, LeaseMode.SHARED);
	}

	private LeaseRequest writer(BackendProcess process) {
		return process.request(this.key, LeaseMode.EXCLUSIVE);
	}

}
