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

package io.github.lockspring.sample.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import org.springframework.stereotype.Component;

/**
 * Stops this process where it hurts most: inside a critical section, after it has read
 * and before it writes. Long garbage collections and frozen virtual machines do the same.
 * The process is resumed by {@code SIGCONT} from outside: by the process that wanted it,
 * or after some time by a shell that was left behind, so that it is not stopped for ever
 * if that process was killed meanwhile. Thread-safe.
 */
@Component
public class HolderPause {

	/**
	 * Longer than the pauses that end as planned.
	 */
	private static final Duration MAX_PAUSE = Duration.ofSeconds(15);

	/**
	 * Stops the process {@code $2}, says so once all its threads have stopped, which is
	 * later than the return of {@code kill}, and resumes it after {@code $1} seconds.
	 */
	private static final String STOP = """
			kill -STOP $2
			looks=0
			until ps -o state= -p $2 | grep -q T || [ $looks = 100 ]; do looks=$((looks + 1)); done
			echo stopped
			sleep $1
			kill -CONT $2
			""";

	private final Duration longest;

	private final AtomicBoolean armed = new AtomicBoolean();

	public HolderPause() {
		this(MAX_PAUSE);
	}

	/**
	 * Create a pause.
	 * @param longest after which time the process is resumed at the latest
	 */
	HolderPause(Duration longest) {
		this.longest = longest;
	}

	/**
	 * Stop this process the next time that it is in a critical section.
	 */
	public void arm() {
		this.armed.set(true);
	}

	/**
	 * Do not stop this process any more.
	 */
	public void disarm() {
		this.armed.set(false);
	}

	/**
	 * Stop here if that is wanted; otherwise return at once.
	 */
	public void here() {
		if (this.armed.get() && this.armed.compareAndSet(true, false)) {
			stop();
		}
	}

	private void stop() {
		String pid = String.valueOf(ProcessHandle.current().pid());
		String seconds = String.valueOf(this.longest.toSeconds());
		try {
			Process shell = new ProcessBuilder("sh", "-c", STOP, "sh", seconds, pid).start();
			shell.inputReader().readLine();
			// Resumed: it must not end a later pause
			shell.destroy();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
