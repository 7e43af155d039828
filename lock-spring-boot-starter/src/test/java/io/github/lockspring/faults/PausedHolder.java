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

package io.github.lockspring.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.Hold;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Another process that acquires a lease, and is paused for longer than the lease lasts.
 */
public final class PausedHolder implements AutoCloseable {

	private final Process process;

	private final BufferedReader answers;

	/**
	 * Control a process.
	 * @param process the process, which {@linkplain #run runs} a holder
	 */
	public PausedHolder(Process process) {
		this.process = process;
		this.answers = process.inputReader();
	}

	/**
	 * Let the process acquire.
	 * @return the fencing token
	 * @throws IOException if the process does not answer
	 */
	public long acquire() throws IOException {
		proceed();
		return Long.parseLong(this.answers.readLine());
	}

	/**
	 * Pause the process.
	 * @throws Exception if it cannot be paused
	 */
	public void pause() throws Exception {
		signal("STOP");
	}

	/**
	 * Let the process continue, and check that it knows at once that it has lost the
	 * lease, and that its listener is notified once.
	 * @throws Exception if it does not answer
	 */
	public void assertLossIsKnownAtOnce() throws Exception {
		proceed();
		signal("CONT");
		assertThat(this.answers.readLine()).isEqualTo("held false");
		assertThat(this.answers.readLine()).isEqualTo("lost 1");
		assertThat(this.answers.readLine()).isEqualTo("released false");
	}

	private void proceed() throws IOException {
		this.process.getOutputStream().write('\n');
		this.process.getOutputStream().flush();
	}

	private void signal(String name) throws Exception {
		Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + this.process.pid()).start();
		assertThat(kill.waitFor()).isZero();
	}

	/**
	 * Let the process end.
	 */
	@Override
	public void close() throws Exception {
		this.process.getOutputStream().close();
		assertThat(this.process.waitFor()).isZero();
		this.answers.close();
	}

	/**
	 * Run the holder in the present process: acquire on request and write the token;
	 * check and release on request.
	 * @param store the store
	 * @param options the options of the lease
	 * @param quiet the time for which no second notification of the loss must follow
	 * @throws Exception if the store failed
	 */
	public static void run(Store store, AcquireOptions options, Duration quiet) throws Exception {
		FaultRun.silence();
		AtomicInteger losses = new AtomicInteger();
		try (EngineProcess process = new EngineProcess(store, EngineSettings.defaults())) {
			while (System.in.read() != -1) {
				Hold hold = process.engine.acquire("key", options, FaultRun.MAX_WAIT.toNanos());
				losses.set(0);
				hold.onLost(() -> losses.incrementAndGet());
				System.out.println(hold.token());
				System.in.read();
				System.out.println("held " + hold.isHeld());
				FaultRun.eventually().until(() -> losses.get() > 0);
				Thread.sleep(quiet.toMillis());
				System.out.println("lost " + losses);
				System.out.println("released " + hold.release());
			}
		}
	}

}
