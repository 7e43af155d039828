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

package io.github.lockspring.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Value;
import io.github.lockspring.support.DaemonThreads;
import io.github.lockspring.support.KeyFormat;

/**
 * Calls a listener of a value, with one value at a time: always with the last one, and
 * with none twice in a row. Its executor, which may run it immediately, is called in a
 * separate thread. Thread-safe.
 */
final class ValueListener implements WatchedValues.Observer {

	private static final Log logger = LogFactory.getLog(ValueListener.class);

	private static final ThreadFactory THREADS = DaemonThreads.virtualOrNamed("lock-value-");

	private final String key;

	private final Executor executor;

	private final Consumer<Value> listener;

	/**
	 * The last value, and the last one that was delivered. Guarded by the monitor.
	 */
	private Value current;

	private Value delivered;

	private boolean delivering;

	private boolean closed;

	/**
	 * Create a listener.
	 * @param key the key
	 * @param present the present value, which is not delivered
	 * @param executor runs the listener
	 * @param listener the listener, whose exceptions are logged
	 */
	ValueListener(String key, Value present, Executor executor, Consumer<Value> listener) {
		this.key = key;
		this.current = present;
		this.delivered = present;
		this.executor = executor;
		this.listener = listener;
	}

	@Override
	public void onValue(Value value, long sentNanos) {
		synchronized (this) {
			this.current = value;
			if (this.delivering || this.closed || value.equals(this.delivered)) {
				return;
			}
			this.delivering = true;
		}
		execute((delivery) -> THREADS.newThread(delivery).start(), () -> execute(this.executor, this::deliver));
	}

	private void execute(Executor executor, Runnable task) {
		try {
			executor.execute(task);
		}
		catch (Throwable ex) {
			if (!(ex instanceof RejectedExecutionException)) {
				logger.error("The executor of a listener for the value " + KeyFormat.quote(this.key) + " failed", ex);
			}
			synchronized (this) {
				this.delivering = false; // until the value is read again
			}
		}
	}

	private void deliver() {
		for (Value value = next(); value != null; value = next()) {
			try {
				this.listener.accept(value);
			}
			catch (Throwable ex) {
				logger.error("A listener for the value " + KeyFormat.quote(this.key) + " failed", ex);
			}
		}
	}

	private synchronized @Nullable Value next() {
		if (this.closed || this.current.equals(this.delivered)) {
			this.delivering = false;
			return null;
		}
		this.delivered = this.current;
		return this.delivered;
	}

	/**
	 * Stop to call the listener.
	 */
	synchronized void close() {
		this.closed = true;
	}

}
