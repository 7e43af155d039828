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

package io.github.lockspring.sample.instance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.util.FileSystemUtils;

/**
 * The instances that take requests, in turn. Safe for use by several threads, except for
 * starting and closing.
 */
public final class Instances implements AutoCloseable {

	private static final String INIT_MODE = "--spring.sql.init.mode=";

	private final int size;

	private final List<String> arguments;

	private final Path logs;

	private final List<Instance> all = new CopyOnWriteArrayList<>();

	private final List<Instance> serving = new CopyOnWriteArrayList<>();

	private final AtomicInteger started = new AtomicInteger();

	private final AtomicInteger turn = new AtomicInteger();

	public Instances(int size, List<String> arguments) throws IOException {
		this.size = size;
		this.arguments = arguments;
		this.logs = Files.createTempDirectory("lock-sample-logs");
	}

	/**
	 * Starts instances until all are there.
	 */
	public void startMissing() throws IOException, InterruptedException {
		List<Instance> starting = new ArrayList<>();
		for (int i = this.serving.size(); i < this.size; i++) {
			starting.add(start(this.started.incrementAndGet()));
		}
		this.all.addAll(starting);
		for (Instance instance : starting) {
			instance.awaitStarted();
			this.serving.add(instance);
		}
	}

	/**
	 * The first one creates the tables, while the others start as well. An argument of
	 * the user applies to all: given twice, it would be a list.
	 */
	private Instance start(int number) throws IOException {
		List<String> arguments = new ArrayList<>(this.arguments);
		if (number > 1 && arguments.stream().noneMatch((argument) -> argument.startsWith(INIT_MODE))) {
			arguments.add(INIT_MODE + "never");
		}
		return Instance.start(arguments, this.logs.resolve("instance-" + number + ".log"));
	}

	/**
	 * Returns the address of the instance whose turn it is.
	 * @return the address
	 */
	public String next() {
		Object[] instances = this.serving.toArray();
		return ((Instance) instances[Math.floorMod(this.turn.getAndIncrement(), instances.length)]).address();
	}

	/**
	 * Kills the instance that has served longest, and leaves its unfinished requests to
	 * their fate.
	 */
	public void killOne() {
		this.serving.remove(0).kill();
	}

	@Override
	public void close() throws IOException {
		this.all.forEach(Instance::kill);
		FileSystemUtils.deleteRecursively(this.logs);
	}

}
