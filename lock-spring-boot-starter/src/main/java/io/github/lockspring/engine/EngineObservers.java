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

import java.util.List;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.EngineObserver.LockObservation;

/**
 * Observers of an engine, called in the order in which they were added. What one of them
 * throws is logged, and has an effect neither on the lock nor on the others.
 *
 * @param observers the observers, at least one
 */
record EngineObservers(List<EngineObserver> observers) {

	private static final Log logger = LogFactory.getLog(EngineObservers.class);

	/**
	 * Return the observation of an acquisition by one of the observers, if it is
	 * interested.
	 */
	static @Nullable LockObservation onAcquire(EngineObserver observer, String key, LockKind kind) {
		try {
			return observer.onAcquire(key, kind);
		}
		catch (Throwable ex) {
			warn(ex);
			return null;
		}
	}

	void onLost(Hold hold) {
		forEach((observer) -> observer.onLost(hold.key(), hold.options().kind()));
	}

	void onHandOff(Hold hold) {
		forEach((observer) -> observer.onHandOff(hold.key(), hold.options().kind()));
	}

	void onRenewed(Hold hold, long marginNanos) {
		forEach((observer) -> observer.onRenewed(hold.key(), hold.options().kind(), marginNanos));
	}

	void onRenewalFailed(Hold hold) {
		forEach((observer) -> observer.onRenewalFailed(hold.key(), hold.options().kind()));
	}

	/**
	 * Call all observers. The failure of one of them must not have any effect.
	 */
	private void forEach(Consumer<EngineObserver> call) {
		for (EngineObserver observer : this.observers) {
			try {
				call.accept(observer);
			}
			catch (Throwable ex) {
				warn(ex);
			}
		}
	}

	/**
	 * Log a failure, unless there is too little space on the stack or on the heap.
	 */
	static void warn(Throwable failure) {
		try {
			logger.warn("An observer of locks failed", failure);
		}
		catch (Throwable ex) {
			// the lock is more important than the log
		}
	}

}
