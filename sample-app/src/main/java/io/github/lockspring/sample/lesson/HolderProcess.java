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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;

import io.github.lockspring.sample.SampleApplication;
import io.github.lockspring.sample.homemade.Pause;
import io.github.lockspring.sample.process.ProcessPause;
import io.github.lockspring.sample.process.ProgramCommand;

/**
 * A contender in a process of its own, which can be paused and killed. It is asked by
 * lines on its standard input, and answers each by a line.
 */
final class HolderProcess implements Contender {

	private final Process process;

	private final BufferedReader answers;

	private final PrintWriter questions;

	private Pause between = Pause.NONE;

	HolderProcess(Experiment experiment, Side side, String address, String key) throws IOException {
		List<String> command = ProgramCommand.of(List.of(), SampleApplication.HOLDER);
		command.addAll(List.of(experiment.name(), side.name(), address, key));
		this.process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		this.answers = this.process.inputReader();
		this.questions = new PrintWriter(this.process.outputWriter(), true);
		answer();
	}

	/**
	 * Set what happens here while the process is between two commands.
	 */
	void between(Pause between) {
		this.between = between;
	}

	@Override
	public boolean enter(Duration waitTime) throws Exception {
		return Boolean.parseBoolean(ask("enter " + waitTime.toMillis()));
	}

	@Override
	public long token() throws Exception {
		return Long.parseLong(ask("token"));
	}

	@Override
	public void leave() throws Exception {
		ask("leave");
	}

	private String ask(String question) throws Exception {
		this.questions.println(question);
		String answer = answer();
		if (!answer.equals(HolderProgram.BETWEEN)) {
			return answer;
		}
		this.between.here();
		return this.process.isAlive() ? ask("continue") : String.valueOf(true);
	}

	private String answer() throws IOException {
		String line = this.answers.readLine();
		if (line == null) {
			throw new IOException("The process has ended");
		}
		return line;
	}

	/**
	 * Let the process stand still.
	 */
	ProcessPause pause() {
		return ProcessPause.of(this.process);
	}

	/**
	 * End the process at once, as a crash would.
	 */
	void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	@Override
	public void close() {
		kill();
	}

}
