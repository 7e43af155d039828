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
package io.github.lockspring.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.ReflectionTestUtils;

import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.Renewal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * {@link RedlockBackend} with nodes that fail.
 */
class RedlockFaultTests {

	private static final Duration LEASE_TIME = Duration.ofSeconds(30);

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration DELAY = Duration.ofMinutes(10);

	private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

	private final String instance = OwnerId.newInstance();

	private final AtomicLong sequence = new AtomicLong();

	private final List<RedlockBackend> backends = new ArrayList<>();

	private List<TestNode> nodes;

	@AfterEach
	void close() {
		this.nodes.forEach((node) -> node.attemptsHeld.countDown());
		this.backends.forEach(RedlockBackend::close);
	}

	private RedlockBackend start(int count, Duration nodeTimeout) {
		this.nodes = IntStream.range(0, count).mapToObj((i) -> new TestNode("n" + i, new LocalStore())).toList();
		return backend(nodeTimeout);
	}

	private RedlockBackend backend(Duration nodeTimeout) {
		RedlockBackend backend = new RedlockBackend(() -> this.nodes.stream().map(TestNode::node).toList(), nodeTimeout,
				TIMEOUT);
		this.backends.add(backend);
		backend.start(mock(BackendListener.class));
		return backend;
	}

	private LeaseRequest request() {
		return request(LEASE_TIME);
	}

	private LeaseRequest request(Duration leaseTime) {
		return new LeaseRequest("key", new LeaseTerms(LeaseMode.EXCLUSIVE, false, leaseTime, 1), this.instance,
				this.sequence.incrementAndGet());
	}

	private void hold(LeaseRequest request, int... indexes) {
		for (int index : indexes) {
			assertThat(this.nodes.get(index).store.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		}
	}

	private boolean isFree(int... indexes) {
		return IntStream.of(indexes).allMatch((index) -> this.nodes.get(index).isFree("key"));
	}

	private static ConditionFactory await() {
		return Awaitility.await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofMinutes(1));
	}

	@Test
	void minorityThatIsDownIsIgnored() {
		RedlockBackend backend = start(5, NODE_TIMEOUT);
		this.nodes.get(1).down = true;
		this.nodes.get(4).down = true;
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		assertThat(backend.tryAcquire(request(), TIMEOUT)).isInstanceOf(Denial.class);
		assertThat(backend.renew(List.of(request), TIMEOUT).held()).containsExactly(request);
		assertThat(backend.inspect("key", TIMEOUT)).hasSize(1);
		backend.probe(request(), TIMEOUT);
		assertThat(backend.release(request, TIMEOUT)).isTrue();
		await().until(() -> isFree(0, 2, 3));
	}

	@Test
	void leaseIsRequestedAgainFromANodeThatHasLostIt() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		for (TestNode node : this.nodes) {
			await().until(() -> !isFree(0) && !isFree(1) && !isFree(2));
			node.store.release(request, TIMEOUT);
			assertThat(backend.tryAcquire(request(), TIMEOUT)).isInstanceOf(Denial.class);
			await().until(() -> node.isFree("key"));
			assertThat(backend.renew(List.of(request), TIMEOUT).held()).containsExactly(request);
		}
		assertThat(backend.release(request, TIMEOUT)).isTrue();
		await().until(() -> isFree(0, 1, 2) && backend.callsInProgress() == 0);
	}

	@Test
	void leaseThatIsReleasedDuringItsRenewalIsNotRequestedAgain() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		for (int i = 0; i < 300; i++) {
			LeaseRequest request = request(DELAY);
			assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
			await().until(() -> !isFree(0));
			this.nodes.get(0).store.release(request, TIMEOUT);
			CompletableFuture<Renewal> renewal = CompletableFuture
				.supplyAsync(() -> backend.renew(List.of(request), TIMEOUT));
			backend.release(request, TIMEOUT);
			renewal.join();
			await().until(() -> isFree(0, 1, 2) && backend.callsInProgress() == 0);
		}
	}

	@Test
	@SuppressWarnings("unchecked")
	void nodeForWhichNoThreadCanBeStartedIsIgnored() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		RedlockNode node = ((List<RedlockNode>) ReflectionTestUtils.getField(backend, "nodes")).get(0);
		ThreadPoolExecutor executor = (ThreadPoolExecutor) ReflectionTestUtils.getField(node.calls(), "executor");
		ThreadFactory threads = executor.getThreadFactory();
		executor.setThreadFactory((task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		});
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		assertThat(isFree(0)).isTrue();
		executor.setThreadFactory(threads);
		assertThat(backend.release(request, TIMEOUT)).isTrue();
		await().until(() -> isFree(1, 2));
		assertThat(backend.tryAcquire(request(), TIMEOUT)).isInstanceOf(Grant.class);
	}

	@Test
	void majorityThatIsDownLeavesNothingOnTheOthers() {
		RedlockBackend backend = start(5, NODE_TIMEOUT);
		List.of(0, 2, 3).forEach((index) -> this.nodes.get(index).down = true);
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.tryAcquire(request(), TIMEOUT))
			.withMessageContaining("2 of 5")
			.withMessageContaining("'n2': connection refused");
		assertThat(isFree(1, 4)).isTrue();
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> backend.probe(request(), TIMEOUT))
			.withMessageContaining("n0")
			.withMessageContaining("n2")
			.withMessageContaining("n3");
		assertThatExceptionOfType(BackendException.class).isThrownBy(() -> backend.renew(List.of(request()), TIMEOUT));
		assertThatExceptionOfType(BackendException.class).isThrownBy(() -> backend.release(request(), TIMEOUT));
		assertThatExceptionOfType(BackendException.class).isThrownBy(() -> backend.inspect("key", TIMEOUT));
	}

	@Test
	void slowMinorityDelaysNoCaller() {
		RedlockBackend backend = start(3, Duration.ofSeconds(20));
		CountDownLatch held = new CountDownLatch(1);
		this.nodes.get(2).attemptsHeld = held;
		LeaseRequest request = request(Duration.ofMinutes(10));
		assertThat(backend.tryAcquire(request, Duration.ofMinutes(1))).isInstanceOf(Grant.class);
		assertThat(backend.tryAcquire(request(Duration.ofMinutes(10)), Duration.ofMinutes(1)))
			.isInstanceOf(Denial.class);
		assertThat(backend.release(request, TIMEOUT)).isTrue();
		assertThat(held.getCount()).isEqualTo(1);
		assertThat(isFree(0, 1)).isTrue();
		held.countDown();
		await().until(() -> this.nodes.get(2).releases.get() == 2 && isFree(2));
	}

	@Test
	void lateGrantCountsAsPartOfTheLease() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		CountDownLatch held = new CountDownLatch(1);
		this.nodes.get(2).attemptsHeld = held;
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		held.countDown();
		await().until(() -> !isFree(2));
		assertThat(backend.release(request, TIMEOUT)).isTrue();
		await().until(() -> isFree(0, 1, 2) && backend.callsInProgress() == 0);
	}

	@Test
	void lateGrantOfADeniedAttemptIsReleased() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		hold(request(), 0, 1);
		CountDownLatch held = new CountDownLatch(1);
		this.nodes.get(2).attemptsHeld = held;
		assertThat(backend.tryAcquire(request(), TIMEOUT)).isInstanceOf(Denial.class);
		held.countDown();
		await().until(() -> this.nodes.get(2).releases.get() == 1);
		await().until(() -> isFree(2) && backend.callsInProgress() == 0);
	}

	@Test
	void deniedAttemptLeavesNothingWhenItReturns() {
		RedlockBackend backend = start(5, NODE_TIMEOUT);
		hold(request(), 0, 1, 2);
		for (int i = 0; i < 20; i++) {
			assertThat(backend.tryAcquire(request(), TIMEOUT)).isInstanceOf(Denial.class);
		}
		await().until(() -> isFree(3, 4) && backend.callsInProgress() == 0);
	}

	@Test
	void grantsThatTookLongerThanTheLeaseAreRejected() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		this.nodes.forEach((node) -> node.attemptsDelayed = Duration.ofMillis(300));
		assertThatExceptionOfType(BackendException.class)
			.isThrownBy(() -> backend.tryAcquire(request(Duration.ofMillis(250)), TIMEOUT));
		await().until(() -> isFree(0, 1, 2));
	}

	@Test
	void validityIsWhatIsLeftOfTheLease() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		this.nodes.forEach((node) -> node.attemptsDelayed = Duration.ofMillis(300));
		long start = System.nanoTime();
		Attempt attempt = backend.tryAcquire(request(), TIMEOUT);
		assertThat(attempt).isInstanceOfSatisfying(Grant.class, (grant) -> {
			assertThat(grant.token()).isZero();
			assertThat(grant.validity()).isLessThanOrEqualTo(LEASE_TIME.minusMillis(300 + 300 + 2));
			Duration most = Duration.ofNanos(System.nanoTime() - start);
			assertThat(grant.validity()).isGreaterThanOrEqualTo(LEASE_TIME.minusMillis(302).minus(most));
		});
	}

	@Test
	void grantsWithoutAnAnswerAreReleased() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		this.nodes.get(0).mute = true;
		this.nodes.get(1).mute = true;
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> backend.tryAcquire(request(), TIMEOUT));
		assertThat(isFree(2)).isTrue();
		await().until(() -> isFree(0, 1));
	}

	@Test
	void releaseThatMayStillArriveTakesNothingFromTheNextAttempt() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		LeaseRequest other = request();
		hold(other, 1, 2);
		TestNode doubtful = this.nodes.get(0);
		CountDownLatch held = new CountDownLatch(1);
		this.nodes.get(2).attemptsHeld = held;
		doubtful.keepNextRelease = true;
		LeaseRequest request = request();
		CompletableFuture<Attempt> denied = CompletableFuture.supplyAsync(() -> backend.tryAcquire(request, TIMEOUT));
		await().until(() -> !isFree(0));
		held.countDown();
		assertThat(denied.join()).isInstanceOf(Denial.class);
		await().until(() -> doubtful.keptRelease != null);
		this.nodes.forEach((node) -> node.store.release(other, TIMEOUT));
		await().until(() -> doubtful.releases.get() > 1 && isFree(0));
		int attempts = doubtful.attempts.get();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		assertThat(doubtful.attempts).hasValue(attempts);
		doubtful.store.release(doubtful.keptRelease, TIMEOUT);
		assertThat(backend.tryAcquire(request(), TIMEOUT)).isInstanceOf(Denial.class);
	}

	@Test
	void attemptThatArrivesAfterItsReleaseIsReleased() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		TestNode slow = this.nodes.get(1);
		slow.keepNextAttempt = true;
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		await().until(() -> slow.keptAttempt != null);
		assertThat(backend.release(request, TIMEOUT)).isTrue();
		await().until(() -> slow.releases.get() > 0);
		slow.store.tryAcquire(slow.keptAttempt, TIMEOUT);
		await().until(() -> isFree(0, 1, 2));
	}

	@Test
	void releaseIsRepeatedOnNodesThatWereDown() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		await().until(() -> !isFree(2));
		this.nodes.get(2).down = true;
		assertThat(backend.release(request, TIMEOUT)).isTrue();
		await().until(() -> this.nodes.get(2).releases.get() > 0);
		assertThat(isFree(2)).isFalse();
		this.nodes.get(2).down = false;
		await().until(() -> isFree(2) && backend.callsInProgress() == 0);
	}

	@Test
	void nodesThatWereDownKeepOthersOutForTheRemainingDelay() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		await().until(() -> !isFree(2));
		this.nodes.get(2).down = true;
		assertThat(backend.releaseWithDelay(request, DELAY, TIMEOUT)).isTrue();
		await().until(() -> this.nodes.get(2).releases.get() > 0);
		assertThat(isDelayed(2)).isFalse();
		this.nodes.get(2).down = false;
		await().until(() -> isDelayed(2) && backend.callsInProgress() == 0);
		assertThat(this.nodes.get(2).delays).hasSizeGreaterThan(1).isSortedAccordingTo(Comparator.reverseOrder());
		assertThat(this.nodes.get(2).delays).doesNotHaveDuplicates();
		assertThat(this.nodes).allSatisfy((node) -> assertThat(remaining(node)).isBetween(DELAY.dividedBy(2), DELAY));
	}

	@Test
	void lostAnswerToAReleaseDoesNotExtendTheDelay() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		await().until(() -> !isFree(2));
		this.nodes.get(2).keepNextRelease = true;
		assertThat(backend.releaseWithDelay(request, DELAY, TIMEOUT)).isTrue();
		await().until(() -> isDelayed(2));
		this.nodes.get(2).store.releaseWithDelay(this.nodes.get(2).keptRelease, DELAY.multipliedBy(10), TIMEOUT);
		assertThat(remaining(this.nodes.get(2))).isLessThanOrEqualTo(DELAY);
	}

	@Test
	void majorityThatIsDownIsNotReportedToKeepOthersOut() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		this.nodes.get(1).down = true;
		this.nodes.get(2).down = true;
		assertThatExceptionOfType(BackendException.class)
			.isThrownBy(() -> backend.releaseWithDelay(request, DELAY, TIMEOUT));
	}

	/**
	 * Longer than the lease, so that a node shows whether it received the release.
	 */
	private boolean isDelayed(int index) {
		return remaining(this.nodes.get(index)).compareTo(LEASE_TIME) > 0;
	}

	private static Duration remaining(TestNode node) {
		return node.store.inspect("key", TIMEOUT).get(0).remaining();
	}

	@Test
	void interruptedAttemptIsCarriedToItsEnd() throws Exception {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		this.nodes.forEach((node) -> node.attemptsHeld = new CountDownLatch(1));
		LeaseRequest request = request();
		CompletableFuture<Boolean> granted = new CompletableFuture<>();
		Thread thread = new Thread(() -> granted.complete(backend.tryAcquire(request, TIMEOUT) instanceof Grant
				&& Thread.interrupted() && backend.release(request, TIMEOUT)));
		thread.start();
		await().until(() -> this.nodes.get(1).attempts.get() == 1);
		thread.interrupt();
		this.nodes.forEach((node) -> node.attemptsHeld.countDown());
		assertThat(granted.get()).isTrue();
		await().until(() -> isFree(0, 1, 2) && backend.callsInProgress() == 0);
	}

	@Test
	void renewalNeedsAMajority() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		LeaseRequest held = request();
		hold(held, 0, 1);
		LeaseRequest lost = request();
		Renewal renewal = backend.renew(List.of(held, lost), TIMEOUT);
		assertThat(renewal.held()).containsExactly(held);
		assertThat(renewal.lost()).containsExactly(lost);
		this.nodes.get(2).down = true;
		assertThat(backend.renew(List.of(held), TIMEOUT).held()).containsExactly(held);
		this.nodes.get(1).store.release(held, TIMEOUT);
		assertThat(backend.renew(List.of(held), TIMEOUT)).isEqualTo(new Renewal(Set.of(), Set.of()));
		this.nodes.get(2).down = false;
		assertThat(backend.renew(List.of(held), TIMEOUT).lost()).containsExactly(held);
	}

	@Test
	void inspectionWaitsForTheNodesThatARenewalReached() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		LeaseRequest renewed = request();
		hold(renewed, 0, 1);
		hold(renewed.withLeaseTime(LEASE_TIME.dividedBy(10)), 2);
		this.nodes.get(0).inspectionsDelayed = Duration.ofMillis(200);
		assertThat(backend.inspect("key", TIMEOUT)).singleElement()
			.satisfies((holder) -> assertThat(holder.remaining()).isGreaterThan(LEASE_TIME.dividedBy(10)));
	}

	@Test
	void halfOfAnEvenNumberIsNoMajority() {
		RedlockBackend backend = start(4, NODE_TIMEOUT);
		LeaseRequest half = request();
		hold(half, 0, 1);
		assertThat(backend.inspect("key", TIMEOUT)).isEmpty();
		assertThat(backend.tryAcquire(request(), TIMEOUT)).isInstanceOf(Denial.class);
		assertThat(backend.renew(List.of(half), TIMEOUT).lost()).containsExactly(half);
		assertThat(backend.release(half, TIMEOUT)).isFalse();
	}

	@Test
	void leaseThatAMajorityLostWasNotHeldUntilItsRelease() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		await().until(() -> !isFree(0) && !isFree(1) && !isFree(2));
		this.nodes.get(0).store.release(request, TIMEOUT);
		this.nodes.get(1).store.release(request, TIMEOUT);
		assertThat(backend.release(request, TIMEOUT)).isFalse();
	}

	@Test
	void nextAttemptComesAfterARandomTime() {
		RedlockBackend backend = start(3, NODE_TIMEOUT);
		hold(request(), 0);
		hold(request(), 1);
		Set<Duration> pauses = new HashSet<>();
		for (int i = 0; i < 20; i++) {
			pauses.add(((Denial) backend.tryAcquire(request(), TIMEOUT)).retryAfter());
		}
		assertThat(pauses).hasSizeGreaterThan(10).allSatisfy((pause) -> assertThat(pause).isPositive());
	}

	@Test
	void twoNodesOnOneServerAreRejectedAtTheStart() {
		this.nodes = List.of(new TestNode("a", new LocalStore()), new TestNode("b", new LocalStore()),
				new TestNode("c", new LocalStore()));
		this.nodes.get(2).runId = () -> "a";
		assertThatIllegalStateException().isThrownBy(() -> backend(NODE_TIMEOUT))
			.withMessageContaining("'a'")
			.withMessageContaining("'c'")
			.withMessageContaining("same server");
	}

	@Test
	void twoNodesOnOneServerAreRejectedWhenTheyAreFound() {
		this.nodes = List.of(new TestNode("a", new LocalStore()), new TestNode("b", new LocalStore()),
				new TestNode("c", new LocalStore()));
		this.nodes.get(2).runId = () -> {
			throw new IllegalStateException("not reachable");
		};
		RedlockBackend backend = backend(NODE_TIMEOUT);
		LeaseRequest request = request();
		assertThat(backend.tryAcquire(request, TIMEOUT)).isInstanceOf(Grant.class);
		assertThat(this.nodes.get(2).attempts).hasValue(0);
		this.nodes.get(2).runId = () -> "a";
		await().untilAsserted(() -> assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.probe(request(), TIMEOUT))
			.withMessageContaining("same server"));
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.tryAcquire(request(), TIMEOUT))
			.withMessageContaining("same server");
		assertThat(this.nodes.get(2).attempts).hasValue(0);
		assertThat(backend.release(request, TIMEOUT)).isTrue();
	}

	@Test
	void warningsNameTheNodesAndTheirNumber() {
		assertThat(start(3, NODE_TIMEOUT).warnings()).hasSize(4)
			.anySatisfy((warning) -> assertThat(warning).contains("fencing"))
			.contains("Node 'n1': it is a test");
		assertThat(start(4, NODE_TIMEOUT).warnings()).anySatisfy((warning) -> assertThat(warning).contains("odd"));
		assertThat(start(2, NODE_TIMEOUT).warnings()).anySatisfy((warning) -> assertThat(warning).contains("3 or 5"));
	}

	@Test
	void contendersNeverMeetAlthoughNodesComeAndGo() throws Exception {
		start(3, NODE_TIMEOUT);
		AtomicInteger holders = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		AtomicInteger turns = new AtomicInteger();
		List<CompletableFuture<Void>> threads = IntStream.range(0, 4).mapToObj((i) -> {
			RedlockBackend backend = backend(NODE_TIMEOUT);
			return CompletableFuture.runAsync(() -> {
				while (turns.get() < 400) {
					LeaseRequest request = request();
					if (acquires(backend, request)) {
						most.accumulateAndGet(holders.incrementAndGet(), Math::max);
						if (turns.incrementAndGet() % 20 == 0) {
							TestNode failing = this.nodes.get(turns.get() / 20 % 3);
							this.nodes.forEach((node) -> node.mute = node == failing && !node.mute);
						}
						holders.decrementAndGet();
					}
					release(backend, request);
				}
			}, (task) -> new Thread(task).start());
		}).toList();
		for (CompletableFuture<Void> thread : threads) {
			thread.get();
		}
		assertThat(most).hasValue(1);
	}

	private static boolean acquires(RedlockBackend backend, LeaseRequest request) {
		try {
			for (int i = 0; i < 3; i++) {
				if (backend.tryAcquire(request, TIMEOUT) instanceof Grant) {
					return true;
				}
			}
		}
		catch (BackendException ex) {
			// released below
		}
		return false;
	}

	private static void release(RedlockBackend backend, LeaseRequest request) {
		try {
			backend.release(request, TIMEOUT);
		}
		catch (BackendException ex) {
			// retried in the background
		}
	}

}
