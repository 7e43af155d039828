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

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.faults.EngineProcess;
import io.github.lockspring.faults.FaultRun;
import io.github.lockspring.faults.LockHistory.Acquisition;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One holds, 200 wait, and a third of them dies.
 */
class RedisDeadContendersServerTests extends RedisFaults {

	private static final int CONTENDERS = 200;

	private static final int PROCESSES = 6;

	private static final Set<Integer> DYING = Set.of(0, 3);

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final AcquireOptions OPTIONS = AcquireOptions.exclusive(LEASE, true);

	private static final Duration WAIT = FaultRun.MAX_WAIT;

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void survivorsAreAllServed(boolean fair) throws Exception {
		AcquireOptions options = fair ? AcquireOptions.fair(LEASE, true) : OPTIONS;
		EngineProcess first = this.run.startProcess(RedisStore.on(this.server));
		List<EngineProcess> processes = this.run.startProcesses(PROCESSES, RedisStore.on(this.server));
		Hold holder = this.run.acquire(first, "key", OPTIONS, FaultRun.MAX_WAIT);
		assertThat(holder).isNotNull();
		AtomicBoolean killed = new AtomicBoolean();
		AtomicInteger survivors = new AtomicInteger();
		for (int i = 0; i < CONTENDERS; i++) {
			int process = i % PROCESSES;
			String name = "%d-%03d".formatted(process, i);
			if (!DYING.contains(process)) {
				survivors.incrementAndGet();
			}
			Thread thread = this.run.startThread(name, () -> contend(processes.get(process), name, options, killed));
			FaultRun.eventually()
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(1))
				.until(() -> waits(thread));
			int queued = Math.min(i + 1, PROCESSES);
			FaultRun.eventually().pollDelay(Duration.ZERO).until(() -> queue().size() == queued);
		}
		List<String> dying = ownersOf(processes);
		killed.set(true);
		DYING.forEach((process) -> processes.get(process).disconnect());
		FaultRun.eventually().until(() -> dying.stream().noneMatch(this::isListening));
		assertThat(this.run.release(holder)).isTrue();
		assertThat(dying)
			.noneMatch((owner) -> String.valueOf(this.server.command("HGET", "{key}", "state")).contains(owner));
		FaultRun.eventually().until(() -> this.run.history.acquisitions().size() == survivors.get());
		DYING.forEach((process) -> processes.get(process).close());
		this.run.awaitThreads();
		this.run.assertNoViolations();
		assertThat(this.run.history.acquisitions()).hasSize(survivors.get());
		if (fair) {
			assertServedInOrder();
		}
		this.run.assertExclusion();
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(this.server));
	}

	/**
	 * The first contender of a process represents it in the queue.
	 */
	private List<String> ownersOf(List<EngineProcess> processes) {
		List<String> queue = queue();
		assertThat(queue).hasSize(processes.size());
		return DYING.stream().map((process) -> queue.get(process)).toList();
	}

	/**
	 * Those that wait, the first one first: the hash has a field for each place.
	 */
	private List<String> queue() {
		List<?> fields = (List<?>) this.server.command("HGETALL", "{key}");
		Map<Integer, String> places = new TreeMap<>();
		for (int i = 0; i < fields.size(); i += 2) {
			String name = (String) fields.get(i);
			if (name.matches("\\d+")) {
				places.put(Integer.valueOf(name), (String) fields.get(i + 1));
			}
		}
		return List.copyOf(places.values());
	}

	/**
	 * Whether the process of an owner still gets messages.
	 */
	private boolean isListening(String owner) {
		String instance = owner.substring(0, owner.lastIndexOf('-'));
		return String.valueOf(this.server.command("PUBSUB", "CHANNELS")).contains(instance);
	}

	private static boolean waits(Thread thread) {
		return thread.getState() == Thread.State.TIMED_WAITING || thread.getState() == Thread.State.WAITING
				|| !thread.isAlive();
	}

	private void contend(EngineProcess process, String name, AcquireOptions options, AtomicBoolean killed) {
		boolean dies = DYING.contains(Integer.parseInt(name.substring(0, 1)));
		long asked = System.nanoTime();
		try {
			Hold hold = process.engine.acquireUninterruptibly("key", options, Thread.currentThread(), WAIT.toNanos());
			if (hold == null || dies) {
				this.run.violation(name + ((hold != null) ? " is dead and was granted" : " was not served"));
			}
			else {
				this.run.use(name, asked, hold, Duration.ofMillis(1));
			}
		}
		catch (EngineException ex) {
			if (!dies || !killed.get()) {
				this.run.violation(name + " failed: " + ex);
			}
		}
	}

	/**
	 * Of each process, those that came first were served first.
	 */
	private void assertServedInOrder() {
		for (int process = 0; process < PROCESSES; process++) {
			String prefix = process + "-";
			assertThat(this.run.history.acquisitions()
				.stream()
				.filter((acquisition) -> acquisition.holder().startsWith(prefix))
				.sorted(Comparator.comparingLong(Acquisition::token))
				.map(Acquisition::holder)).isSorted();
		}
	}

	@Test
	void placesInTheQueueAreServedInOrderAndThoseOfTheDeadAreSkipped() throws Exception {
		List<RedisProcess> processes = new ArrayList<>();
		for (int i = 0; i < PROCESSES; i++) {
			processes.add(RedisProcess.on(this.server));
		}
		try {
			for (int i = 0; i < FaultRun.SCALE; i++) {
				serveSurvivors(processes);
			}
		}
		finally {
			processes.forEach(RedisProcess::close);
		}
		this.run.assertNothingLeft(() -> RedisStore.assertNothingLeft(this.server));
	}

	private void serveSurvivors(List<RedisProcess> processes) throws Exception {
		RedisProcess victim = RedisProcess.on(this.server);
		LeaseRequest holder = processes.get(0).request("key");
		assertThat(processes.get(0).tryAcquire(holder)).isNotNull();
		Set<String> dead = new HashSet<>();
		List<LeaseRequest> survivors = new ArrayList<>();
		List<RedisProcess> owners = new ArrayList<>();
		for (int i = 0; i < CONTENDERS; i++) {
			boolean dies = i == 0 || this.run.random.nextInt(3) == 0;
			RedisProcess process = dies ? victim : processes.get(this.run.random.nextInt(PROCESSES));
			LeaseRequest request = process.request("key", LeaseMode.EXCLUSIVE, true, LEASE);
			assertThat(process.contend(request)).isNull();
			if (dies) {
				dead.add(request.owner().toString());
			}
			else {
				survivors.add(request);
				owners.add(process);
			}
		}
		victim.disconnect();
		FaultRun.eventually().until(() -> ((List<?>) this.server.command("PUBSUB", "CHANNELS")).size() == PROCESSES);
		assertThat(owners.get(0).contend(survivors.get(0))).isNull();
		assertThat(processes.get(0).release(holder)).isTrue();
		for (int i = 0; i < survivors.size(); i++) {
			LeaseRequest request = survivors.get(i);
			assertThat((String) this.server.command("HGET", "{key}", "state")).contains(request.owner().toString());
			assertThat(owners.get(i).granted.poll(1, TimeUnit.MINUTES)).isEqualTo(request);
			if (i + 1 < survivors.size()) { // keeps its place
				assertThat(owners.get(i + 1).contend(survivors.get(i + 1))).isNull();
			}
			assertThat(owners.get(i).release(request)).isTrue();
		}
		this.run.say(survivors.size() + " survivors served in order, " + dead.size() + " dead skipped");
		assertThat(this.server.command("HLEN", "{key}")).isEqualTo(1L);
		victim.close();
	}

}
