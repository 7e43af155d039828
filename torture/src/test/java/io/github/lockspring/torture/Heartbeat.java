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

package io.github.lockspring.torture;

import java.time.Duration;

/**
 * Thread that wants to do something every few milliseconds, and tells when it could not:
 * the machine has let it wait.
 */
final class Heartbeat implements Runnable, AutoCloseable {

	private static final long INTERVAL_MILLIS = 10;

	private final Runnable beat;

	private final long longest;

	private final Stalls stalls;

	private final Thread thread = new Thread(this, "heartbeat");

	private Heartbeat(Runnable beat, Duration longest, Stalls stalls) {
		this.beat = beat;
		this.longest = longest.toNanos();
		this.stalls = stalls;
		this.thread.setDaemon(true);
	}

	/**
	 * Start a thread.
	 * @param beat what is done; exceptions are ignored
	 * @param longest the longest time between the ends of two of them that is not told
	 * @param stalls what is told
	 */
	static Heartbeat start(Runnable beat, Duration longest, Stalls stalls) {
		Heartbeat heartbeat = new Heartbeat(beat, longest, stalls);
		heartbeat.thread.start();
		return heartbeat;
	}

	@Override
	public void run() {
		try {
			long last = System.nanoTime();
			while (true) {
				Thread.sleep(INTERVAL_MILLIS);
				beat();
				long now = System.nanoTime();
				if (now - last > this.longest) {
					this.stalls.stalled(last, now);
				}
				last = now;
			}
		}
		catch (InterruptedException ex) {
			// closed
		}
	}

	private void beat() {
		try {
			this.beat.run();
		}
		catch (RuntimeException ex) {
			// a store that is away
		}
	}

	/**
	 * End the thread.
	 */
	@Override
	public void close() throws InterruptedException {
		this.thread.interrupt();
		this.thread.join(Duration.ofMinutes(1).toMillis());
	}

	/**
	 * Is told of times without a beat.
	 */
	interface Stalls {

		void stalled(long from, long to);

	}

}
