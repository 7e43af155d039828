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

package io.github.lockspring.simulator.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.simulator.history.LockFact.Granted;
import io.github.lockspring.simulator.history.LockFact.Requested;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HistoryChecker}, {@link Report} and {@link HistoryPicture}.
 */
class HistoryCheckerTests {

	private final HistoryChecker checker = new HistoryChecker(HistoryBuilder.BOUNDS);

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3 })
	void correctHistoryKeepsAllRules(long seed) {
		assertThat(this.checker.check(queue(seed, 2_000))).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "grant at once", "token of another", "key stays blocked", "one token for two" })
	void mutatedHistoryBreaksARule(String mutation) {
		SplittableRandom random = new SplittableRandom(mutation.hashCode());
		for (int i = 0; i < 20; i++) {
			assertThat(this.checker.check(mutate(queue(random.nextLong(), 2_000), mutation, random)))
				.as("mutation %d", i)
				.isNotEmpty();
		}
	}

	@Test
	@Timeout(value = 30, unit = TimeUnit.SECONDS)
	void checksManyEvents() {
		History history = queue(4, 100_000);
		assertThat(this.checker.check(history)).isEmpty();
	}

	@Test
	void findingShowsItsEvents() {
		History history = new HistoryBuilder().lock(11, "a", 2).lock(21, "a", 1).history();
		assertThat(this.checker.check(history).get(0).describe(history)).isEqualTo("""
				tokens: operation 21 of p2 w got the token 1 after operation 11 of p1 w had got 2
				  [1] 0 p1 w granted operation=11 token=2
				  [4] 10000000 p2 w requested operation=21 keys=a mode=EXCLUSIVE permits=1 limit=1 fair=false \
				leaseTime=0 waitTime=9223372036854775807 retainTime=0
				  [5] 10000000 p2 w granted operation=21 token=1""");
	}

	@Test
	void reportCounts() {
		Report report = this.checker.report(new HistoryBuilder().request(11, "a")
			.grant(11, 1)
			.request(21, "a")
			.at(5)
			.releaseBegun(11)
			.at(7)
			.grant(21, 2)
			.fault(1, FaultKind.FAILED_OVER, "*")
			.history());
		assertThat(report.count("granted")).isEqualTo(2);
		assertThat(report.count("faults: FAILED_OVER")).isEqualTo(1);
		assertThat(report.toString()).containsPattern("hand-off .*2.000 ");
		assertThat(new Report().add(report).add(report).count("granted")).isEqualTo(4);
	}

	@Test
	void reportCountsWhatIsExceptedApartFromViolations() {
		Report report = this.checker.report(new HistoryBuilder().fault(1, FaultKind.FAILED_OVER, "*")
			.request(11, "a")
			.grant(11, 1)
			.lock(21, "a", 2)
			.check(11, true)
			.history());
		assertThat(report.excepted()).hasSize(1);
		assertThat(report.count("excepted: exclusion")).isEqualTo(1);
		assertThat(report.violations()).isEmpty();
	}

	@Test
	void drawsLanesClaimsAndFaults() {
		String picture = HistoryPicture.draw(new HistoryBuilder().lock(11, "<a>", 1)
			.fault(1, FaultKind.STOPPED, "*")
			.request(21, "<a>")
			.at(40)
			.heal(1)
			.grant(21, 2)
			.lossTold(21)
			.history());
		assertThat(picture).contains(">p1 w<", ">p2 w<", ">stopped<", ">waits<", ">&lt;a&gt;<", "operation 21", "×",
				">0 ms<");
		assertThat(HistoryPicture.draw(new History())).startsWith("<svg");
	}

	/**
	 * Processes request keys in a random order, and are granted them one after the other.
	 */
	private static History queue(long seed, int events) {
		SplittableRandom random = new SplittableRandom(seed);
		HistoryBuilder history = new HistoryBuilder();
		List<List<Long>> queues = new ArrayList<>();
		for (int key = 0; key < 20; key++) {
			queues.add(new ArrayList<>());
		}
		Set<Long> granted = new HashSet<>();
		long operation = 0;
		for (int time = 1; history.history().events().size() < events; time++) {
			int key = random.nextInt(queues.size());
			List<Long> queue = queues.get(key);
			history.at(time);
			if (!queue.isEmpty() && (granted.contains(queue.get(0)) || queue.size() > 3)) {
				history.check(queue.get(0), true).release(queue.remove(0));
			}
			else {
				queue.add(++operation);
				history.request(operation, "key-" + key);
			}
			if (!queue.isEmpty() && granted.add(queue.get(0))) {
				history.grant(queue.get(0), time);
			}
		}
		return history.history();
	}

	private static History mutate(History history, String mutation, SplittableRandom random) {
		List<Event> events = new ArrayList<>(history.events());
		int grant = find(events, random.nextInt(400, 500), (event) -> event.fact() instanceof Granted);
		Granted granted = (Granted) events.get(grant).fact();
		List<Event> ofKey = ofSameKey(events, granted.operation());
		switch (mutation) {
			case "token of another" -> replace(events, grant, new Granted(granted.operation(), 1));
			case "key stays blocked" -> {
				Set<Event> later = new HashSet<>(events.subList(grant, events.size()));
				later.retainAll(ofKey);
				later.removeIf((event) -> event.fact() instanceof Requested);
				events.removeAll(later);
			}
			case "one token for two" -> {
				Granted first = (Granted) ofKey.get(find(ofKey, 0, (event) -> event.fact() instanceof Granted)).fact();
				replace(events, grant, new Granted(granted.operation(), first.token()));
			}
			default -> grantAtOnce(events, ofKey.subList(ofKey.indexOf(events.get(grant)), ofKey.size()));
		}
		History mutated = new History();
		events.forEach(mutated::add);
		return mutated;
	}

	private static List<Event> ofSameKey(List<Event> events, long operation) {
		Map<Long, List<String>> keys = new HashMap<>();
		events.forEach((event) -> {
			if (event.fact() instanceof Requested request) {
				keys.put(request.operation(), request.keys());
			}
		});
		return events.stream()
			.filter((event) -> event.fact() instanceof LockFact fact
					&& keys.get(fact.operation()).equals(keys.get(operation)))
			.toList();
	}

	/**
	 * Grants the next request for the key, which waits for the release of the owner.
	 */
	private static void grantAtOnce(List<Event> events, List<Event> ofKey) {
		Event request = ofKey.get(find(ofKey, 0, (event) -> event.fact() instanceof Requested));
		long operation = ((Requested) request.fact()).operation();
		events.removeIf((event) -> event.fact() instanceof Granted grant && grant.operation() == operation);
		events.add(events.indexOf(request) + 1,
				new Event(request.time(), request.process(), request.worker(), new Granted(operation, request.time())));
	}

	private static void replace(List<Event> events, int line, Fact fact) {
		Event event = events.get(line);
		events.set(line, new Event(event.time(), event.process(), event.worker(), fact));
	}

	private static int find(List<Event> events, int from, Predicate<Event> condition) {
		for (int line = from; line < events.size(); line++) {
			if (condition.test(events.get(line))) {
				return line;
			}
		}
		throw new IllegalStateException("There is no such event");
	}

}
