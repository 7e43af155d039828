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

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.ProcessName;

/**
 * Receiver of the notifications of a {@link LocalStore}: one backend.
 */
final class LocalNotifier {

	private volatile BackendListener listener = BackendListener.NONE;

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

	/**
	 * Return the listener of the backend, which ignores notifications unless the backend
	 * is open.
	 */
	BackendListener listener() {
		return this.listener;
	}

	void setListener(BackendListener listener) {
		this.listener = listener;
	}

}
