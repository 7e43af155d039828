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

package io.github.lockspring.server;

import java.time.Duration;

/**
 * A fault of a {@link FaultProxy}, as a value.
 *
 * @param kind what happens
 * @param direction to which bytes it happens, if it is about bytes
 * @param amount milliseconds of a delay, or bytes per second
 */
public record Fault(Kind kind, Direction direction, int amount) {

	/**
	 * Let it happen.
	 * @param proxy the proxy it happens to
	 */
	public void applyTo(FaultProxy proxy) {
		switch (this.kind) {
			case CUT -> proxy.cut();
			case DISCONNECT -> proxy.disconnect();
			case HOLE -> proxy.hole(this.direction);
			case DELAY -> proxy.delay(this.direction, Duration.ofMillis(this.amount));
			case SLOW -> proxy.slow(this.direction, this.amount);
			case SPLIT -> proxy.split(this.direction);
			case DROP_REPLY -> proxy.dropReply();
			case REFUSE -> proxy.refuse();
			case HEAL -> proxy.heal();
		}
	}

	@Override
	public String toString() {
		return this.kind + " " + this.direction + " " + this.amount;
	}

	/**
	 * Kinds of faults, each a method of {@link FaultProxy}.
	 */
	public enum Kind {

		/** Reset all connections. */
		CUT,
		/** Close all connections. */
		DISCONNECT,
		/** Swallow bytes. */
		HOLE,
		/** Delay bytes. */
		DELAY,
		/** Slow bytes down. */
		SLOW,
		/** Send bytes one by one. */
		SPLIT,
		/** Drop the reply to the next request. */
		DROP_REPLY,
		/** Refuse new connections. */
		REFUSE,
		/** End all faults. */
		HEAL

	}

}
