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
import java.util.concurrent.atomic.AtomicBoolean;

import org.springframework.stereotype.Component;

/**
 * Stops this process where it hurts most: inside a critical section, after it has read
 * and before it writes. Long garbage collections and frozen virtual machines do the same.
 * The process is resumed by {@code SIGCONT} from outside. Thread-safe.
 */
@Component
public class HolderPause {

	private final AtomicBoolean armed = new AtomicBoolean();

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

	private static void stop() {
		try {
			new ProcessBuilder("kill", "-STOP", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
