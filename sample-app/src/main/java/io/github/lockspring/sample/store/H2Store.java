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

package io.github.lockspring.sample.store;

import java.io.File;
import java.io.IOException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.sample.SampleApplication;
import io.github.lockspring.sample.process.ProcessPause;
import io.github.lockspring.sample.process.ProgramCommand;

/**
 * A database of H2 in a {@link H2Program process of its own}.
 */
final class H2Store implements Store {

	private final Process process;

	private final List<String> arguments;

	private @Nullable ProcessPause pause;

	private H2Store(Process process, String port, String password) {
		this.process = process;
		this.arguments = List.of(
				"--spring.datasource.url=jdbc:h2:tcp://%s:%s/%s;LOCK_TIMEOUT=30000".formatted(H2Program.HOST, port,
						H2Program.DATABASE),
				"--spring.datasource.username=" + H2Program.USER, "--spring.datasource.password=" + password);
	}

	/**
	 * Start a server and wait until it serves.
	 * @return the running store
	 * @throws StoreNotStartedException if it does not start
	 */
	static H2Store start() {
		List<String> command = ProgramCommand.of(List.of("-Dh2.bindAddress=" + H2Program.HOST),
				SampleApplication.DATABASE);
		try {
			Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
			String[] access = String.valueOf(process.inputReader().readLine()).split(" ");
			if (access.length != 2) {
				process.destroyForcibly();
				throw new StoreNotStartedException(StoreType.H2, null);
			}
			return new H2Store(process, access[0], access[1]);
		}
		catch (IOException ex) {
			throw new StoreNotStartedException(StoreType.H2, ex);
		}
	}

	@Override
	public String name() {
		return StoreType.H2.id();
	}

	@Override
	public List<String> arguments() {
		return this.arguments;
	}

	@Override
	public boolean isStoppable() {
		return File.separatorChar == '/';
	}

	@Override
	public synchronized void pause() {
		if (this.pause == null) {
			this.pause = ProcessPause.of(this.process);
		}
	}

	@Override
	public synchronized void resume() {
		ProcessPause pause = this.pause;
		if (pause != null) {
			pause.close();
			this.pause = null;
		}
	}

	@Override
	public synchronized void close() {
		this.process.destroyForcibly();
		this.process.onExit().join();
		resume();
	}

}
