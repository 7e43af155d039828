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

import java.util.List;
import java.util.stream.Stream;

import io.github.lockspring.benchmarks.process.JavaProcess;

/**
 * An {@link Application} as seen by who started it.
 */
public final class ApplicationProcess implements AutoCloseable {

	private final JavaProcess process;

	private final long startUpNanos;

	private final long cpuNanos;

	ApplicationProcess(StoreApplication application, String profile) {
		this.process = new JavaProcess(Application.class,
				Stream
					.concat(Stream.of(application.configuration().getName(), profile),
							application.properties().stream().map((property) -> "--" + property))
					.toArray(String[]::new));
		String[] start = this.process.receive().split(" ");
		this.startUpNanos = Long.parseLong(start[0]);
		this.cpuNanos = Long.parseLong(start[1]);
	}

	/**
	 * How long Spring Boot took to start it, without the start of its virtual machine.
	 * @return nanoseconds
	 */
	public long startUpNanos() {
		return this.startUpNanos;
	}

	/**
	 * How much processor time its process had used when it was started, that of compilers
	 * included.
	 * @return nanoseconds
	 */
	public long cpuNanos() {
		return this.cpuNanos;
	}

	/**
	 * Lets threads acquire and release a key each. A plain application uses its store
	 * instead.
	 * @param threads how many
	 * @return how long that took, in nanoseconds
	 */
	public long lock(int threads) {
		return Long.parseLong(ask("lock " + threads));
	}

	/**
	 * The names of the threads that there are.
	 * @return the names
	 */
	public List<String> threads() {
		return List.of(ask("threads").split("\t"));
	}

	private String ask(String command) {
		this.process.send(command);
		return this.process.receive();
	}

	@Override
	public void close() {
		this.process.close();
	}

}
