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

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.AdditionalAnswers;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockspring.LockLostException;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockShutdownException;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.LockUtils;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.test.SettableTime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link DefaultLeaderElection}: what only a test can make happen that moves
 * the clock or looks into the process. The rest is in {@link LeaderElectionContract}.
 */
@ExtendWith(OutputCaptureExtension.class)
class DefaultLeaderElectionTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final String KEY = "reports";

	private final SettableTime time = new SettableTime();

	private final LocalStore store = new LocalStore(this.time);

	private final LockBackend backend = mock(LockBackend.class,
			AdditionalAnswers.delegatesTo(new LocalLockBackend(this.store)));

	private final LockEngine engine = engine(this.backend);

	private final LockEngine otherEngine = engine(new LocalLockBackend(this.store));

	private final Queue<String> changes = new ConcurrentLinkedQueue<>();

	private final LeaderElection election = election(this.engine, "this");

	private final LeaderElection other = election(this.otherEngine, "other");

	private LockEngine engine(LockBackend backend) {
		return new LockEngine(backend, EngineSettings.defaults(), EngineListener.NONE, this.time);
	}

	private LeaderElection election(LockEngine engine, String name) {
		LeaderElection election = client(engine).leaderElection(KEY);
		election.addListener(new LeadershipListener() {

			@Override
			public void onGranted(long fencingToken) {
				DefaultLeaderElectionTests.this.changes.add(name + " granted");
			}

			@Override
			public void onRevoked() {
				DefaultLeaderElectionTests.this.changes.add(name + " revoked");
			}

		});
		return election;
	}

	private static LockClient client(LockEngine engine) {
		return new LockClient(
				LockUtils.template(LockEngines.of(engine), "lock:", LockOptions.defaults().withLeaseTime(LEASE)));
	}

	@AfterEach
	void close() {
		this.engine.close();
		this.otherEngine.close();
	}

	private void assertChanges(String... expected) {
		Awaitility.await().untilAsserted(() -> assertThat(this.changes).containsExactly(expected));
	}

	@Test
	void revokedIsDeliveredBeforeAnotherCouldBeElected() throws Exception {
		this.election.start();
		this.election.await();
		this.other.start();
		Awaitility.await().until(() -> !this.election.candidates().isEmpty());
		willThrow(new BackendUnavailableException("cut off", null)).given(this.backend).renew(any(), any());
		willThrow(new BackendUnavailableException("cut off", null)).given(this.backend).release(any(), any());
		Duration margin = LEASE.dividedBy(100);
		this.time.advance(LEASE.minus(margin));
		assertThat(this.election.isLeader()).isFalse();
		assertChanges("this granted", "this revoked");
		assertThat(this.other.isLeader()).isFalse();
		this.time.advance(margin.multipliedBy(2));
		assertChanges("this granted", "this revoked", "other granted");
	}

	@Test
	void candidateThatWaitsAndLeaderThatLeadsHaveNoThread() throws Exception {
		this.election.start();
		this.election.await();
		assertChanges("this granted");
		int before = Thread.activeCount();
		List<LeaderElection> candidates = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			LeaderElection candidate = client(this.engine).leaderElection(KEY);
			candidate.start();
			candidates.add(candidate);
			LeaderElection leader = client(this.engine).leaderElection(KEY + i);
			leader.start();
			leader.await();
			candidates.add(leader);
		}
		Awaitility.await().untilAsserted(() -> assertThat(Thread.activeCount() - before).isLessThan(50));
		candidates.forEach(LeaderElection::stop);
		assertThat(this.engine.size()).isEqualTo(1);
	}

	@Test
	void electionThatIsStoppedLeavesNothing() throws Exception {
		this.election.start();
		this.election.await();
		LeaderElection candidate = client(this.engine).leaderElection(KEY);
		candidate.start();
		candidate.stop();
		this.election.stop();
		assertThat(this.engine.stateListeners()).isEmpty();
		// a step of the candidate may still be running
		Awaitility.await().until(() -> this.engine.size() == 0);
	}

	@Test
	void asynchronousWaitThatIsCancelledLeavesNothing() throws Exception {
		this.other.start();
		this.other.await();
		this.election.start();
		List<WeakReference<Object>> cancelled = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			CompletableFuture<Void> wait = this.election.awaitAsync().toCompletableFuture();
			cancelled.add(new WeakReference<>(wait));
			wait.cancel(false);
		}
		Awaitility.await().until(() -> {
			System.gc();
			return cancelled.stream().allMatch((wait) -> wait.get() == null);
		});
		CompletableFuture<Void> granted = this.election.awaitAsync().toCompletableFuture();
		this.other.stop();
		granted.get(1, TimeUnit.MINUTES);
	}

	@Test
	void listenerThatIsRemovedRightAfterItWasAddedIsNotCalled() throws Exception {
		AtomicInteger calls = new AtomicInteger();
		AtomicBoolean over = new AtomicBoolean();
		Thread noise = new Thread(() -> {
			while (!over.get()) {
				this.election.stop();
			}
		});
		noise.start();
		for (int i = 0; i < 100_000; i++) {
			LeadershipListener listener = new LeadershipListener() {

				@Override
				public void onGranted(long fencingToken) {
					calls.incrementAndGet();
				}

				@Override
				public void onRevoked() {
				}

			};
			this.election.addListener(listener);
			this.election.removeListener(listener);
		}
		over.set(true);
		noise.join();
		this.election.start();
		this.election.await();
		assertChanges("this granted");
		this.election.stop();
		assertThat(calls).hasValue(0);
	}

	@Test
	void codeThatRunsAsLeaderLearnsOfTheLoss() throws Exception {
		this.election.start();
		FutureTask<Object> running = new FutureTask<>(() -> this.election.callAsLeader((fencingToken) -> {
			willThrow(new BackendUnavailableException("cut off", null)).given(this.backend).renew(any(), any());
			this.time.advance(LEASE);
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> new CountDownLatch(1).await(5, TimeUnit.MINUTES));
			return "late";
		}));
		new Thread(running).start();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> running.get(1, TimeUnit.MINUTES))
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void codeThatRunsAsLeaderMayStopTheElection() throws Exception {
		this.election.start();
		assertThat(this.election.<String, RuntimeException>callAsLeader((fencingToken) -> {
			this.election.stop();
			return "stopped";
		})).isEqualTo("stopped");
		assertThat(Thread.interrupted()).isFalse();
		assertChanges("this granted", "this revoked");
	}

	@Test
	void extensionThatFailsIsNotReportedAsAnAcquisition() {
		LeaseLock lock = client(this.engine).lock("a", LockOptions.defaults().withAutoRenew(false));
		lock.lock();
		willThrow(new BackendUnavailableException("cut off", null)).given(this.backend).renew(any(), any());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> lock.extend(LEASE))
			.withMessageStartingWith("Could not renew the lock on 'lock:a'");
	}

	@Test
	void storeFailureIsLoggedOnce(CapturedOutput output) throws Exception {
		BlockingQueue<String> calls = new LinkedBlockingQueue<>();
		AtomicBoolean available = new AtomicBoolean();
		willAnswer((call) -> {
			if (available.get()) {
				return new LocalLockBackend(this.store).contend(call.getArgument(0), call.getArgument(1));
			}
			calls.add("failed");
			throw new BackendUnavailableException("gone", null);
		}).given(this.backend).contend(any(), any());
		this.election.start();
		for (int i = 0; i < 5; i++) {
			Awaitility.await().until(() -> {
				this.time.advance(Duration.ofSeconds(5));
				return calls.poll(1, TimeUnit.MILLISECONDS) != null;
			});
		}
		assertThat(output).containsOnlyOnce("is retried until it is available: gone");
		available.set(true);
		Awaitility.await().until(() -> {
			this.time.advance(Duration.ofSeconds(5));
			return !this.changes.isEmpty();
		});
		assertChanges("this granted");
	}

	@Test
	void failureOtherThanOfTheStoreIsRetriedWithPauses(CapturedOutput output) {
		willThrow(new IllegalArgumentException("rejected"), new IllegalArgumentException("rejected again"))
			.willAnswer((call) -> new LocalLockBackend(this.store).contend(call.getArgument(0), call.getArgument(1)))
			.given(this.backend)
			.contend(any(), any());
		this.election.start();
		awaitRetry();
		assertThat(output).containsOnlyOnce("Could not take part in the election on 'lock:reports'");
	}

	@Test
	void callWithoutRoomOnTheStackDoesNotEndTheElection() throws Exception {
		this.election.start();
		for (int i = 0; i < 60; i += 3) {
			int frames = i;
			awaitRetry();
			Thread thread = new Thread(null, () -> relinquishAtTheEndOfTheStack(frames), "deep", 512 * 1024);
			thread.start();
			thread.join();
		}
		awaitRetry();
	}

	private void awaitRetry() {
		Awaitility.await().until(() -> {
			this.time.advance(Duration.ofMillis(500));
			return this.election.isLeader();
		});
	}

	/**
	 * Relinquishes with room for that many frames of this method.
	 */
	private int relinquishAtTheEndOfTheStack(int frames) {
		int room = 0;
		try {
			room = relinquishAtTheEndOfTheStack(frames) + 1;
		}
		catch (StackOverflowError ex) {
			// this is the last frame
		}
		try {
			if (room == frames) {
				this.election.relinquish();
			}
		}
		catch (StackOverflowError ex) {
			// nothing has changed
		}
		return room;
	}

	@Test
	void electionContinuesWhenTheEngineIsRestarted() throws Exception {
		this.election.start();
		this.election.await();
		this.engine.shutdown(LEASE);
		assertThat(this.election.isLeader()).isFalse();
		assertThat(this.election.isRunning()).isTrue();
		assertChanges("this granted", "this revoked");
		this.engine.start();
		this.election.await();
		assertChanges("this granted", "this revoked", "this granted");
	}

	@Test
	void electionStoppedWhileTheEngineWasShutDownDoesNotContinue() throws Exception {
		this.election.start();
		this.election.await();
		this.engine.shutdown(LEASE);
		this.election.stop();
		this.engine.start();
		assertThat(this.election.await(50, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(this.engine.size()).isZero();
		assertChanges("this granted", "this revoked");
	}

	@Test
	void shutdownEndsWaits() throws Exception {
		this.other.start();
		this.other.await();
		this.election.start();
		TestThread<Boolean> waiting = TestThread.start(() -> this.election.await(1, TimeUnit.DAYS));
		CompletableFuture<Void> asynchronous = this.election.awaitAsync().toCompletableFuture();
		Awaitility.await().until(() -> this.engine.size() == 1);
		this.engine.shutdown(Duration.ZERO);
		assertThat(waiting.failure()).isInstanceOf(LockShutdownException.class);
		assertThat(asynchronous).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockShutdownException.class);
		assertThatExceptionOfType(LockShutdownException.class).isThrownBy(this.election::await);
		assertThat(this.election.isRunning()).isTrue();
	}

	@Test
	void candidateIsEndedByAShutdown() throws Exception {
		this.other.start();
		this.other.await();
		this.election.start();
		this.engine.shutdown(Duration.ZERO);
		this.other.stop();
		assertThat(this.election.isLeader()).isFalse();
		this.engine.start();
		this.election.await();
		assertChanges("other granted", "other revoked", "this granted");
	}

	@Test
	void candidateThatIsStartedWhileItStopsDoesNotPause() throws Exception {
		this.other.start();
		this.other.await();
		LeadershipCampaign campaign = new LeadershipCampaign(this.engine, "lock:" + KEY,
				LockUtils.acquireOptions(LockOptions.defaults()), () -> {
				});
		campaign.begin();
		campaign.cancel();
		assertThat(campaign.take(true)).isNull();
		campaign.begin();
		assertThat(campaign.isPending()).isTrue();
		campaign.cancel();
	}

	@Test
	void manyThreadsStartAndStop() throws Exception {
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			Thread thread = new Thread(() -> {
				for (int j = 0; j < 200; j++) {
					this.election.start();
					this.election.relinquish();
					this.election.stopAsync();
				}
			});
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads) {
			thread.join();
		}
		this.election.stop();
		Awaitility.await().until(() -> this.engine.size() == 0);
		assertThat(this.election.isLeader()).isFalse();
		this.election.start();
		this.election.await();
		Awaitility.await().until(() -> this.changes.size() % 2 == 1);
		List<String> heard = List.copyOf(this.changes);
		for (int i = 0; i < heard.size(); i++) {
			assertThat(heard.get(i)).isEqualTo((i % 2 == 0) ? "this granted" : "this revoked");
		}
	}

}
