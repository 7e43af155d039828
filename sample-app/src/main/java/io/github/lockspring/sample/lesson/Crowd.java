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

package io.github.lockspring.sample.lesson;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.lettuce.core.api.sync.RedisCommands;

import io.github.lockspring.sample.homemade.Pause;
import io.github.lockspring.sample.lesson.Participant.Customer;

/**
 * A hundred threads of ten processes that want the same at once: how many requests does
 * each hand-off cost?
 */
final class Crowd {

	private static final int PROCESSES = 10;

	private static final int THREADS = 100;

	private static final Duration WAIT = Duration.ofMinutes(1);

	/**
	 * Until all of them wait.
	 */
	private static final Duration GATHERING = Duration.ofMillis(500);

	private static final Pause DECISION = () -> Thread.sleep(2);

	private final Lab lab;

	private final Experiment experiment;

	private final Side side;

	private final String key;

	private final Resource resource = new Resource();

	Crowd(Lab lab, Experiment experiment, Side side, String key) {
		this.lab = lab;
		this.experiment = experiment;
		this.side = side;
		this.key = key;
	}

	Outcome run() throws Exception {
		List<Participant> processes = new ArrayList<>();
		try (RequestCount count = this.lab.count(this.experiment.store())) {
			for (int i = 0; i < PROCESSES; i++) {
				processes.add(new Participant(this.experiment, this.side, count.address(), this.key));
			}
			return (this.experiment == Experiment.WATCH_MULTI) ? sale(processes, count) : queue(processes, count);
		}
		finally {
			processes.forEach(Participant::close);
		}
	}

	/**
	 * A hundred customers buy the last hundred pieces.
	 */
	private Outcome sale(List<Participant> processes, RequestCount count) throws Exception {
		RedisCommands<String, String> redis = processes.get(0).clients().redis();
		String stock = processes.get(0).stockKey();
		redis.set(stock, String.valueOf(THREADS));
		List<Customer> customers = IntStream.range(0, THREADS)
			.mapToObj((number) -> processes.get(number % PROCESSES).customer(DECISION))
			.toList();
		long before = count.soFar();
		boolean sold = inParallel(customers, Pause.NONE);
		double requests = (count.soFar() - before) / (double) THREADS;
		boolean exact = sold && "0".equals(redis.get(stock));
		return Outcome.ofCrowd(exact ? Verdict.EXACT : Verdict.TWO_INSIDE, requests);
	}

	/**
	 * A hundred owners wait for one that leaves, and then for each other.
	 */
	private Outcome queue(List<Participant> processes, RequestCount count) throws Exception {
		Contender first = processes.get(0).contender();
		first.enter(WAIT);
		List<Customer> owners = IntStream.range(0, THREADS)
			.mapToObj((number) -> owner(processes.get(number % PROCESSES).contender(), "owner " + number))
			.toList();
		long[] before = new long[1];
		boolean entered = inParallel(owners, () -> {
			Thread.sleep(GATHERING.toMillis());
			before[0] = count.soFar();
			first.leave();
		});
		double requests = (count.soFar() - before[0]) / (double) THREADS;
		Verdict inside = this.resource.hadTwoInside() ? Verdict.TWO_INSIDE : Verdict.EXACT;
		return Outcome.ofCrowd(entered ? inside : Verdict.STUCK, requests);
	}

	private Customer owner(Contender contender, String name) {
		return () -> {
			if (!contender.enter(WAIT)) {
				return false;
			}
			this.resource.enter(name, contender.token());
			DECISION.here();
			this.resource.write(name, contender.token());
			this.resource.leave(name);
			contender.leave();
			return true;
		};
	}

	private static boolean inParallel(List<Customer> customers, Pause begin) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(customers.size());
		try {
			List<Future<Boolean>> results = new ArrayList<>();
			for (Customer customer : customers) {
				results.add(threads.submit(customer::shop));
			}
			begin.here();
			boolean all = true;
			for (Future<Boolean> result : results) {
				all &= result.get();
			}
			return all;
		}
		finally {
			threads.shutdownNow();
		}
	}

}
