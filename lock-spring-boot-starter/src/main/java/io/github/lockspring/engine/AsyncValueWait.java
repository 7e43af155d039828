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

import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Value;

/**
 * Wait until a value meets a condition, without a thread. Thread-safe.
 */
final class AsyncValueWait extends ValueWait implements Waiter {

	private final EngineContext context;

	private final AsyncDispatcher dispatcher;

	private final CompletableFuture<@Nullable Value> future = new CompletableFuture<>();

	private volatile AsyncDispatcher.@Nullable Timer timer;

	AsyncValueWait(EngineContext context, WatchedValues watches, AsyncDispatcher dispatcher, String key,
			Predicate<Value> condition, long waitNanos) {
		super(context, watches, key, condition, waitNanos);
		this.context = context;
		this.dispatcher = dispatcher;
	}

	CompletableFuture<@Nullable Value> start() {
		this.future.whenComplete((value, failure) -> stop());
		try {
			this.context.requireOpen();
			this.context.store().values(); // throws an exception if unsupported
			watch();
			completeIfDone();
		}
		catch (Throwable ex) {
			this.future.completeExceptionally(ex);
		}
		return this.future;
	}

	private void stop() {
		end();
		AsyncDispatcher.Timer timer = this.timer;
		if (timer != null) {
			this.dispatcher.cancel(timer);
		}
	}

	@Override
	public void wakeUp() {
		this.dispatcher.execute(this::completeIfDone);
	}

	private void completeIfDone() {
		try {
			if (isDone()) {
				stop();
				this.future.complete(result());
			}
			else {
				this.timer = this.dispatcher.wakeUpAt(this.context.time().nanoTime() + remaining(), this);
			}
		}
		catch (Throwable ex) {
			this.future.completeExceptionally(ex);
		}
		if (this.future.isDone()) {
			stop(); // it may have been cancelled in the meantime
		}
	}

}
