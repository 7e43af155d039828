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
import java.util.UUID;

import io.github.lockspring.sample.homemade.Pause;
import io.github.lockspring.sample.lesson.Participant.Customer;
import io.github.lockspring.sample.load.Latencies;

/**
 * What it costs to acquire and release a lock that no other owner wants.
 *
 * @param requests the requests to the store
 * @param latencies the times
 */
public record Cost(double requests, Latencies latencies) {

	private static final int WARM_UP = 2_000;

	private static final int COUNTED = 100;

	private static final int MOST = 2_000;

	private static final Duration LIMIT = Duration.ofMillis(1500);

	static Cost measure(Lab lab, Experiment experiment, Side side) throws Exception {
		String key = "cost:" + UUID.randomUUID();
		Latencies latencies;
		String address = lab.address(experiment.store());
		try (Participant participant = new Participant(experiment, side, address, key)) {
			Customer customer = customer(experiment, participant);
			repeat(customer, WARM_UP);
			latencies = repeat(customer, MOST);
		}
		try (RequestCount count = lab.count(experiment.store());
				Participant participant = new Participant(experiment, side, count.address(), key)) {
			Customer customer = customer(experiment, participant);
			repeat(customer, COUNTED);
			long before = count.soFar();
			int done = repeat(customer, COUNTED).size();
			return new Cost((count.soFar() - before) / (double) done, latencies);
		}
	}

	private static Customer customer(Experiment experiment, Participant participant) {
		if (experiment == Experiment.WATCH_MULTI) {
			participant.clients().redis().set(participant.stockKey(), String.valueOf(Integer.MAX_VALUE));
			return participant.customer(Pause.NONE);
		}
		Contender contender = participant.contender();
		return () -> {
			boolean inside = contender.enter(Duration.ofSeconds(10));
			contender.leave();
			return inside;
		};
	}

	private static Latencies repeat(Customer customer, int times) throws Exception {
		List<Long> nanos = new ArrayList<>();
		long deadline = System.nanoTime() + LIMIT.toNanos();
		while (nanos.size() < times && System.nanoTime() < deadline) {
			long start = System.nanoTime();
			customer.shop();
			nanos.add(System.nanoTime() - start);
		}
		return new Latencies(nanos.stream().mapToLong(Long::longValue).toArray());
	}

}
