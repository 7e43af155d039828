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

/**
 * Dispatchers of an engine.
 *
 * @param steps runs the steps of asynchronous acquisitions and waits
 * @param calls makes all other asynchronous calls to the store
 */
record Dispatchers(AsyncDispatcher steps, AsyncDispatcher calls) {

	static Dispatchers of(EngineContext context) {
		return new Dispatchers(new AsyncDispatcher(context, context.threads().steps()),
				new AsyncDispatcher(context, context.threads().calls()));
	}

	boolean isCalling() {
		return this.steps.isCalling() || this.calls.isCalling();
	}

}
