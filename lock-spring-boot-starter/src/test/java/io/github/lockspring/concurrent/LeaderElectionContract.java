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

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockType;
import io.github.lockspring.faults.Store;
import io.github.lockspring.faults.TemplateProcess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What every {@link LeaderElection} promises, on every store.
 */
@Timeout(300)
public abstract class LeaderElectionContract {

	/**
	 * Does not end during a test, unless it is not renewed.
	 */
	private static final Duration LEASE = Duration.ofMinutes(1);

	/**
	 * Ends while a test waits.
	 */
	private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

	private static final Duration MOMENT = Duration.ofMillis(50);

	private static final Duration MAX_WAIT = Duration.ofMinutes(1);

	private static int keys;

	private final String key = "election-" + System.nanoTime() + "-" + keys++;

	private final List<TemplateProcess> processes = new ArrayList<>();

	private final CountDownLatch end = new CountDownLatch(1);

	/**
	 * The store that all processes of a test use.
	 * @return a store
	 */
	protected abstract Store store();

	/**
	 * Whether a lease ends when its time is over although its process stays connected.
	 * @return {@code false} for a store whose leases last as long as a session
	 */
	protected boolean endsLeasesByTime() {
		return true;
	}

	@AfterEach
	void closeProcesses() {
		this.end.countDown();
		this.processes.forEach(TemplateProcess::close);
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(MAX_WAIT).pollInterval(Duration.ofMillis(5));
	}

	private Candidate candidate() {
		return candidate(new TemplateProcess(store(), LEASE));
	}

	private Candidate candidate(TemplateProcess process) {
		this.processes.add(process);
		return new Candidate(process, new LockClient(process.locks).leaderElection(this.key));
	}

	private Candidate started() {
		Candidate candidate = candidate();
		candidate.election.start();
		return candidate;
	}

	private Candidate leader() throws Exception {
		return elected(candidate());
	}

	/**
	 * A leader that is elected anew if the machine is too slow for its lease.
	 */
	private Candidate leaderForAShortTime() throws Exception {
		return elected(candidate(new TemplateProcess(store(), SHORT_LEASE)));
	}

	private static Candidate elected(Candidate candidate) throws Exception {
		candidate.election.start();
		candidate.election.await();
		return candidate;
	}

	/**
	 * A candidate that waits in the store, or is about to.
	 */
	private Candidate waiting() throws InterruptedException {
		Candidate candidate = started();
		assertThat(candidate.election.await(MOMENT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
		return candidate;
	}

	@Test
	void oneOfManyIsElectedAfterTheOther() {
		List<Candidate> candidates = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			candidates.add(started());
		}
		long token = 0;
		while (!candidates.isEmpty()) {
			eventually().until(() -> candidates.stream().anyMatch(Candidate::isLeader));
			List<Candidate> leaders = candidates.stream().filter(Candidate::isLeader).toList();
			assertThat(leaders).hasSize(1);
			Candidate leader = leaders.get(0);
			assertThat(leader.election.fencingToken()).isGreaterThan(token);
			token = leader.election.fencingToken();
			leader.election.stop();
			assertThat(leader.election.isLeader()).isFalse();
			leader.assertHeard("granted " + token, "revoked");
			candidates.remove(leader);
			assertThat(candidates).allMatch((candidate) -> candidate.changes.size() <= 1);
		}
	}

	@Test
	void leaderAndCandidatesOfAllProcessesAreReported() throws Exception {
		Candidate first = leader();
		assertThat(first.election.candidates()).isEmpty();
		Candidate second = waiting();
		eventually().until(() -> first.election.candidates().size() == 1);
		assertThat(first.election.candidates()).allMatch((waiter) -> waiter.isOf(second.election.id()));
		assertThat(second.election.leader()).isNotNull();
		assertThat(second.election.leader().isOf(first.election.id())).isTrue();
		first.election.stop();
		second.election.await();
		assertThat(first.election.leader().isOf(second.election.id())).isTrue();
		eventually().until(() -> first.election.candidates().isEmpty());
		second.election.stop();
		eventually().until(() -> first.election.leader() == null);
	}

	@Test
	void codeRunsAsLeaderAndRelinquishesAtItsEnd() throws Exception {
		Candidate first = started();
		Candidate[] second = new Candidate[1];
		long token = first.election.callAsLeader((fencingToken) -> {
			assertThat(first.isLeader()).isTrue();
			second[0] = waiting();
			// is elected before the first
			eventually().until(() -> !first.election.candidates().isEmpty());
			return fencingToken;
		});
		first.assertHeard("granted " + token, "revoked");
		second[0].election.await();
		assertThat(first.election.isRunning()).isTrue();
		second[0].election.stop();
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> first.election.callAsLeader((fencingToken) -> {
			throw new IOException("test");
		}));
		assertThat(Thread.interrupted()).isFalse();
		first.election.stop();
		assertThatIllegalStateException().isThrownBy(() -> first.election.callAsLeader((fencingToken) -> ""));
	}

	@Test
	void codeThatRunsAsLeaderIsInterruptedByTheStopWhichWaitsForItsEnd() throws Exception {
		Candidate leader = leader();
		CountDownLatch inside = new CountDownLatch(1);
		AtomicBoolean ended = new AtomicBoolean();
		FutureTask<String> running = new FutureTask<>(() -> leader.election.callAsLeader((fencingToken) -> {
			inside.countDown();
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				ended.set(true);
			}
			return "ended";
		}));
		new Thread(running).start();
		inside.await();
		leader.election.stop();
		assertThat(ended).isTrue();
		assertThat(running.get(1, TimeUnit.MINUTES)).isEqualTo("ended");
	}

	@Test
	void nothingIsGrantedBeforeTheStart() throws Exception {
		Candidate candidate = candidate();
		assertThat(candidate.election.isRunning()).isFalse();
		assertThat(candidate.election.await(0, TimeUnit.SECONDS)).isFalse();
		assertThatIllegalStateException().isThrownBy(candidate.election::await);
		assertThatIllegalStateException().isThrownBy(candidate.election::fencingToken);
		assertThat(candidate.election.key()).isEqualTo(this.key);
	}

	@Test
	void startedTwiceIsOneCandidateAndStoppedTwiceIsStopped() throws Exception {
		Candidate leader = leader();
		leader.election.start();
		assertThat(leader.election.isRunning()).isTrue();
		Candidate next = waiting();
		leader.election.stop();
		leader.election.stop();
		assertThat(leader.election.isRunning()).isFalse();
		next.election.await();
		leader.assertHeard("granted", "revoked");
	}

	@Test
	void stoppedElectionIsStartedAgain() throws Exception {
		Candidate candidate = leader();
		long token = candidate.election.fencingToken();
		candidate.election.close();
		candidate.election.start();
		candidate.election.await();
		assertThat(candidate.election.fencingToken()).isGreaterThan(token);
		candidate.assertHeard("granted", "revoked", "granted");
	}

	@Test
	void candidateThatStopsIsNeverElected() throws Exception {
		Candidate leader = leader();
		Candidate candidate = waiting();
		candidate.election.stop();
		leader.election.stop();
		Candidate last = leader();
		assertThat(last.isLeader()).isTrue();
		assertThat(candidate.isLeader()).isFalse();
		assertThat(candidate.changes).isEmpty();
	}

	@Test
	void leaderThatRelinquishesIsACandidateAgain() throws Exception {
		Candidate one = leader();
		Candidate other = waiting();
		relinquishUntilElected(one, other);
		relinquishUntilElected(other, one);
		assertThat(other.isLeader()).isFalse();
		eventually().untilAsserted(() -> assertThat(one.lastChange()).startsWith("granted"));
		assertThat(one.changes()).hasSizeGreaterThanOrEqualTo(3).element(1).isEqualTo("revoked");
		assertThat(other.election.isRunning()).isTrue();
	}

	/**
	 * The leader is elected again if the other candidate was not in the queue of the
	 * store yet.
	 */
	private static void relinquishUntilElected(Candidate leader, Candidate other) {
		eventually().until(() -> {
			leader.election.relinquish();
			return other.isLeader();
		});
	}

	@Test
	void candidateThatRelinquishesRemainsACandidate() throws Exception {
		Candidate leader = leader();
		Candidate candidate = waiting();
		candidate.election.relinquish();
		leader.election.stop();
		candidate.election.await();
		candidate.assertHeard("granted");
	}

	@Test
	void anotherIsElectedAfterTheDeathOfTheLeader() throws Exception {
		Candidate dead = leaderForAShortTime();
		Candidate next = started();
		dead.process.die();
		next.election.await();
		dead.assertHeardAtLast("revoked");
		assertThat(next.election.fencingToken()).isGreaterThan(dead.lastToken());
		assertThat(dead.isLeader()).isFalse();
	}

	@Test
	void leadershipHasEndedBeforeAnotherIsElectedAndCanBeWonAgain() throws Exception {
		Assumptions.assumeTrue(endsLeasesByTime());
		Candidate cutOff = leaderForAShortTime();
		Candidate next = candidate();
		CompletableFuture<Boolean> both = new CompletableFuture<>();
		next.election.addListener(new LeadershipListener() {

			@Override
			public void onGranted(long fencingToken) {
				both.complete(cutOff.isLeader());
			}

		});
		next.election.start();
		cutOff.process.cutOff();
		assertThat(both.get()).isFalse();
		cutOff.assertHeardAtLast("revoked");
		cutOff.process.reconnect();
		next.election.stop();
		cutOff.assertHeardAtLast("granted");
		next.assertHeard("granted", "revoked");
	}

	@Test
	void storeThatIsUnavailableAtTheStartIsTriedAgain() throws Exception {
		Candidate candidate = candidate();
		candidate.process.cutOff();
		candidate.election.start();
		assertThat(candidate.election.await(MOMENT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
		candidate.process.reconnect();
		candidate.election.await();
		candidate.assertHeard("granted");
	}

	@Test
	void leadershipIsRevokedWhileTheConnectionIsSuspended() throws Exception {
		Candidate leader = leader();
		long token = leader.election.fencingToken();
		leader.process.listener().onSuspended();
		assertThat(leader.isLeader()).isFalse();
		assertThatIllegalStateException().isThrownBy(leader.election::fencingToken);
		leader.assertHeard("granted " + token, "revoked");
		leader.process.listener().onResumed();
		assertThat(leader.isLeader()).isTrue();
		leader.assertHeard("granted " + token, "revoked", "granted " + token);
	}

	@Test
	void leadershipIsInDoubtAfterAFailoverUntilItIsConfirmed() throws Exception {
		Candidate leader = elected(candidate(new TemplateProcess(store(), LEASE, Duration.ofMillis(300))));
		leader.process.cutOff();
		leader.process.listener().onFailedOver();
		leader.assertHeard("granted", "revoked");
		leader.process.reconnect();
		eventually().until(leader::isLeader);
		leader.assertHeard("granted", "revoked", "granted");
	}

	@Test
	void leadershipIsReleasedWhenTheTemplateIsClosed() throws Exception {
		Candidate closed = leader();
		Candidate next = waiting();
		closed.process.locks.close();
		assertThat(closed.isLeader()).isFalse();
		next.election.await();
		closed.assertHeard("granted", "revoked");
	}

	@Test
	void listenersThatFailOrBlockDoNoHarm() throws Exception {
		Candidate leader = candidate();
		CountDownLatch blocked = new CountDownLatch(1);
		leader.election.addListener(new LeadershipListener() {

			@Override
			public void onGranted(long fencingToken) {
				blocked.countDown();
				waitForEnd();
			}

		});
		leader.election.addListener(new LeadershipListener() {

			@Override
			public void onGranted(long fencingToken) {
				throw new IllegalStateException("A listener may fail");
			}

			@Override
			public void onRevoked() {
				throw new AssertionError("A listener may fail again");
			}

		});
		Recorder last = new Recorder();
		leader.election.addListener(last);
		leader.election.start();
		blocked.await();
		Candidate next = waiting();
		leader.election.stop();
		next.election.await();
		last.assertHeard("granted", "revoked");
	}

	private void waitForEnd() {
		try {
			this.end.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void listenerIsNotifiedFromItsAdditionToItsRemoval() throws Exception {
		Candidate leader = leader();
		Recorder added = new Recorder();
		leader.election.addListener(added);
		added.assertHeard("granted");
		leader.election.removeListener(added);
		leader.election.stop();
		leader.assertHeard("granted", "revoked");
		added.assertHeard("granted");
	}

	@Test
	void listenerCanStopTheElection() {
		Candidate leader = candidate();
		CompletableFuture<Boolean> stopped = new CompletableFuture<>();
		leader.election.addListener(new LeadershipListener() {

			@Override
			public void onGranted(long fencingToken) {
				leader.election.stop();
				stopped.complete(leader.isLeader());
			}

		});
		leader.election.start();
		assertThat(stopped.join()).isFalse();
		leader.assertHeard("granted", "revoked");
		Candidate next = started();
		eventually().until(next::isLeader);
	}

	@Test
	void leaseIsReleasedAfterTheListenersHaveReturned() throws Exception {
		Candidate leader = leader();
		Candidate next = waiting();
		CompletableFuture<Boolean> both = new CompletableFuture<>();
		leader.election.addListener(new LeadershipListener() {

			@Override
			public void onRevoked() {
				sleepAMoment();
				both.complete(next.isLeader());
			}

		});
		leader.election.stop();
		assertThat(both).isCompletedWithValue(false);
		next.election.await();
	}

	private static void sleepAMoment() {
		try {
			Thread.sleep(MOMENT.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void waitingEndsWithTheElection() throws Exception {
		leader();
		Candidate candidate = candidate();
		candidate.election.start();
		CompletableFuture<Void> waiting = candidate.election.awaitAsync().toCompletableFuture();
		CompletableFuture<Void> blocking = CompletableFuture.runAsync(() -> {
			try {
				candidate.election.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalArgumentException(ex);
			}
		}, (task) -> new Thread(task).start());
		candidate.election.stopAsync().toCompletableFuture().join();
		Stream.of(waiting, blocking)
			.forEach((future) -> assertThatExceptionOfType(ExecutionException.class).isThrownBy(future::get)
				.withCauseInstanceOf(IllegalStateException.class));
	}

	@Test
	void waitingReturnsWhenElected() throws Exception {
		Candidate leader = leader();
		Candidate next = candidate();
		next.election.start();
		CompletableFuture<Void> elected = next.election.awaitAsync().toCompletableFuture();
		assertThat(next.election.await(MOMENT.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
		leader.election.stop();
		assertThat(next.election.await(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
		elected.join();
		assertThat(next.election.hasLeadership()).isTrue();
		next.election.awaitAsync().toCompletableFuture().join();
	}

	@Test
	void waitingIsInterruptible() throws Exception {
		Candidate candidate = leader();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(candidate.election::await);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> candidate.election.await(1, TimeUnit.SECONDS));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void leaderExcludesLocksOnTheKey() throws Exception {
		Candidate leader = leader();
		LockOptions once = LockOptions.defaults().withWaitTime(Duration.ZERO);
		assertThat(leader.process.locks.tryAcquire(this.key, once)).isNull();
		leader.election.stop();
		assertThat(leader.process.locks.tryAcquire(this.key, once)).isNotNull();
	}

	@Test
	void severalHoldersAreNotLeaders() {
		LockClient client = new LockClient(candidate().process.locks);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.leaderElection(this.key, LockOptions.defaults().withType(LockType.READ)));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.leaderElection(this.key, LockOptions.defaults().withPermits(2)));
	}

	/**
	 * Candidate in a process of its own.
	 */
	private static final class Candidate extends Recorder {

		private final TemplateProcess process;

		private final LeaderElection election;

		Candidate(TemplateProcess process, LeaderElection election) {
			this.process = process;
			this.election = election;
			election.addListener(this);
		}

		boolean isLeader() {
			return this.election.isLeader();
		}

	}

	/**
	 * What a listener was notified of.
	 */
	private static class Recorder implements LeadershipListener {

		final List<String> changes = new ArrayList<>();

		@Override
		public synchronized void onGranted(long fencingToken) {
			this.changes.add("granted " + fencingToken);
		}

		@Override
		public synchronized void onRevoked() {
			this.changes.add("revoked");
		}

		final synchronized List<String> changes() {
			return List.copyOf(this.changes);
		}

		final String lastChange() {
			List<String> changes = changes();
			return changes.isEmpty() ? "" : changes.get(changes.size() - 1);
		}

		/**
		 * The greatest token of which it was notified.
		 */
		final long lastToken() {
			return changes().stream()
				.filter((change) -> change.startsWith("granted "))
				.mapToLong((change) -> Long.parseLong(change.substring("granted ".length())))
				.max()
				.orElseThrow();
		}

		/**
		 * Waits for a change that begins with the given text, after others in turns.
		 */
		final void assertHeardAtLast(String expected) {
			eventually().untilAsserted(() -> assertThat(lastChange()).startsWith(expected));
			List<String> changes = changes();
			for (int i = 0; i < changes.size(); i++) {
				assertThat(changes.get(i)).startsWith((i % 2 == 0) ? "granted" : "revoked");
			}
		}

		/**
		 * Waits for changes, each of which begins with the given text.
		 */
		final void assertHeard(String... expected) {
			eventually().untilAsserted(() -> assertThat(changes()).hasSize(expected.length));
			assertThat(changes()).zipSatisfy(List.of(expected), (heard, text) -> assertThat(heard).startsWith(text));
		}

	}

}
