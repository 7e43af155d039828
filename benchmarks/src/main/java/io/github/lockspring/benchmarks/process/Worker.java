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

package io.github.lockspring.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.lockspring.benchmarks.contestant.Contestant;
import io.github.lockspring.benchmarks.store.Store;
import io.github.lockspring.benchmarks.store.Stores;

/**
 * A process with one contestant that executes commands. Every command is a line with
 * words, answered by a line:
 * <ul>
 * <li>{@code team <key> <threads> <millis> <file>}: lets threads contend for a key, and
 * check in the file, if there is one, that no other process holds it; answers the
 * {@link TeamResult}.</li>
 * <li>{@code acquire <key>}: answers when it had acquired.</li>
 * <li>{@code release}: answers when it was about to release what it acquired last.</li>
 * <li>{@code hold <number>}: acquires so many leases that are renewed; answers what they
 * cost.</li>
 * <li>{@code cpu}: answers the processor time that the process has used.</li>
 * <li>{@code drop}: releases what {@code hold} acquired.</li>
 * <li>{@code await <number>}: lets a thread wait for each of so many keys that another
 * process holds; answers at once.</li>
 * <li>{@code served}: answers how many of these threads wait no longer.</li>
 * <li>{@code await-served}: answers when none of them waits any longer.</li>
 * </ul>
 * All times are nanoseconds of {@link System#nanoTime()}, which on Linux is one clock for
 * all processes.
 */
final class Worker {

	private final Contestant contestant;

	private final HeldLeases leases;

	private final AwaitedKeys awaited;

	private Contestant.Hold hold = () -> {
	};

	private Worker(Contestant contestant) {
		this.contestant = contestant;
		this.leases = new HeldLeases(contestant);
		this.awaited = new AwaitedKeys(contestant);
	}

	public static void main(String[] args) throws IOException, InterruptedException {
		PrintStream answers = System.out;
		System.setOut(System.err);
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		try (Store store = Stores.join(args[0], args[1]);
				Contestant contestant = store.entrant(args[2]).contestant().get()) {
			Worker worker = new Worker(contestant);
			for (String line = commands.readLine(); line != null; line = commands.readLine()) {
				answers.println(worker.execute(List.of(line.split(" "))));
			}
		}
		System.exit(0);
	}

	private String execute(List<String> words) throws InterruptedException {
		return switch (words.get(0)) {
			case "team" ->
				contend(words.get(1), Integer.parseInt(words.get(2)), Long.parseLong(words.get(3)), occupancy(words));
			case "acquire" -> acquire(words.get(1));
			case "release" -> release();
			case "hold" -> this.leases.acquire(Integer.parseInt(words.get(1))).toString();
			case "cpu" -> Long.toString(ProcessUse.cpuNanos());
			case "drop" -> this.leases.release();
			case "await" -> this.awaited.await(Integer.parseInt(words.get(1)));
			case "served" -> Long.toString(this.awaited.served());
			case "await-served" -> this.awaited.awaitAllServed();
			default -> throw new IllegalArgumentException("What is " + words + "?");
		};
	}

	private static Occupancy occupancy(List<String> words) {
		return (words.size() > 4) ? Occupancy.in(Path.of(words.get(4))) : Occupancy.unchecked();
	}

	private String contend(String key, int threads, long millis, Occupancy occupancy) throws InterruptedException {
		return new Team(this.contestant, threads, (thread, cycle) -> key, occupancy).run(Duration.ofMillis(millis))
			.toString();
	}

	private String acquire(String key) throws InterruptedException {
		this.hold = this.contestant.acquire(key);
		return Long.toString(System.nanoTime());
	}

	private String release() {
		long now = System.nanoTime();
		this.hold.release();
		return Long.toString(now);
	}

}
