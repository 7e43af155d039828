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

package io.github.lockspring.local;

import java.time.Duration;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.ProcessName;

/**
 * Forwards notifications of the {@link LocalStore} to the listener of one backend while
 * the backend is open.
 */
final class LocalNotifier {

	private volatile @Nullable BackendListener listener;

	private volatile String process = "";

	/**
	 * Return the name of the process of the backend, empty if it is unknown.
	 */
	String process() {
		return this.process;
	}

	void setProcess(ProcessName process) {
		this.process = process.toString();
	}

	void setListener(@Nullable BackendListener listener) {
		this.listener = listener;
	}

	boolean onGranted(LeaseRequest request, Grant grant, long attemptId, Duration waited) {
		BackendListener listener = this.listener;
		return listener != null && listener.onGranted(request, grant, attemptId, waited);
	}

	/**
	 * Notify the listener, if the backend is open.
	 */
	void send(Consumer<BackendListener> notification) {
		BackendListener listener = this.listener;
		if (listener != null) {
			notification.accept(listener);
		}
	}

}
