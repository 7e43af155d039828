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

package io.github.lockspring.zookeeper;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.simulator.cluster.ClientError;
import io.github.lockspring.support.DaemonThreads;

/**
 * Thread that handles events one after the other. Thread-safe.
 */
final class ModelEvents {

	private static final Log logger = LogFactory.getLog(ModelEvents.class);

	private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();

	private final Thread thread;

	private volatile boolean ending;

	private volatile boolean ended;

	ModelEvents(String name) {
		this.thread = DaemonThreads.create(name, this::run);
		this.thread.start();
	}

	/**
	 * Add an event. After the end, it is handled by the calling thread.
	 */
	void add(Runnable event) {
		if (this.ended) {
			handle(event);
		}
		else {
			this.queue.add(event);
			LockSupport.unpark(this.thread);
		}
	}

	/**
	 * End when all events are handled.
	 */
	void end() {
		this.ending = true;
		LockSupport.unpark(this.thread);
	}

	private void run() {
		while (!this.ended) {
			Runnable event = this.queue.poll();
			if (event != null) {
				handle(event);
			}
			else if (this.ending) {
				this.ended = true;
			}
			else {
				LockSupport.park(this);
			}
		}
		for (Runnable event = this.queue.poll(); event != null; event = this.queue.poll()) {
			handle(event);
		}
	}

	private static void handle(Runnable event) {
		try {
			event.run();
		}
		catch (Exception | ClientError ex) {
			logger.error("An event was not handled", ex);
		}
	}

}
