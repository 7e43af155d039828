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
package io.github.lockspring.benchmarks.application;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;

import io.github.lockspring.benchmarks.contestant.Contestant;
import io.github.lockspring.benchmarks.process.ProcessUse;

/**
 * A process with an application of Spring Boot. It prints how many nanoseconds its start
 * took, and how many of processor time, and then executes commands. Every command is a
 * line, answered by a line:
 * <ul>
 * <li>{@code lock <threads>}: lets threads acquire and release a key each; answers the
 * nanoseconds that took.</li>
 * <li>{@code threads}: answers the names of all threads, with tabs between them.</li>
 * </ul>
 */
final class Application {

	private final Contestant contestant;

	private Application(Contestant contestant) {
		this.contestant = contestant;
	}

	/**
	 * Starts the application.
	 * @param args the class of the configuration, the profile, and properties as for any
	 * application of Spring Boot
	 */
	public static void main(String[] args) throws ClassNotFoundException, IOException, InterruptedException {
		PrintStream answers = System.out;
		System.setOut(System.err);
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		AtomicLong startUpNanos = new AtomicLong();
		ConfigurableApplicationContext context = start(args, startUpNanos);
		answers.println(startUpNanos + " " + ProcessUse.cpuNanos());
		Application application = new Application(context.getBean(Contestant.class));
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			answers.println(application.execute(List.of(line.split(" "))));
		}
		System.exit(0);
	}

	private static ConfigurableApplicationContext start(String[] args, AtomicLong startUpNanos)
			throws ClassNotFoundException {
		SpringApplication application = new SpringApplication(Class.forName(args[0]));
		application.setAdditionalProfiles(args[1]);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setBannerMode(Banner.Mode.OFF);
		application.addListeners((ApplicationListener<ApplicationReadyEvent>) (ready) -> {
			Duration timeTaken = ready.getTimeTaken();
			startUpNanos.set((timeTaken != null) ? timeTaken.toNanos() : 0);
		});
		return application.run(Arrays.copyOfRange(args, 2, args.length));
	}

	private String execute(List<String> words) throws InterruptedException {
		return switch (words.get(0)) {
			case "lock" -> Long.toString(lock(Integer.parseInt(words.get(1))));
			case "threads" -> threads();
			default -> throw new IllegalArgumentException("What is " + words + "?");
		};
	}

	/**
	 * A single one is this thread, which costs no other.
	 */
	private long lock(int threads) throws InterruptedException {
		long start = System.nanoTime();
		if (threads == 1) {
			this.contestant.acquire("application").release();
		}
		else {
			lockAtOnce(threads);
		}
		return System.nanoTime() - start;
	}

	private void lockAtOnce(int threads) throws InterruptedException {
		CountDownLatch acquired = new CountDownLatch(threads);
		List<Thread> members = IntStream.range(0, threads)
			.mapToObj((number) -> new Thread(() -> lock("application-" + number, acquired)))
			.toList();
		members.forEach(Thread::start);
		for (Thread member : members) {
			member.join();
		}
		if (acquired.getCount() > 0) {
			throw new IllegalStateException("A thread failed: see the error output");
		}
	}

	private void lock(String key, CountDownLatch acquired) {
		try {
			Contestant.Hold hold = this.contestant.acquire(key);
			acquired.countDown();
			hold.release();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static String threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.map((name) -> name.replace('\t', ' '))
			.sorted()
			.collect(Collectors.joining("\t"));
	}

}
