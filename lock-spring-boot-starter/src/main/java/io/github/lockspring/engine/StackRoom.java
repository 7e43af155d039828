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

import java.lang.invoke.MethodHandles;

/**
 * Checks for free space on the stack of the current thread. An acquisition that begins
 * with enough space can also be undone and released: if a deeper call overflows the
 * stack, the cleanup in the outer frames still has enough space.
 */
final class StackRoom {

	/**
	 * Number of frames, of a few kilobytes in total, which is more than all calls need
	 * that leave a queue, promote the next hold, and release a lease in the background.
	 * It can be reduced for model checkers, which report so many calls of a method as a
	 * hanging thread.
	 */
	private static final int FRAMES_TO_UNDO = Integer.getInteger("lock.engine.stack-room", 80);

	/**
	 * Number of frames, more than all calls need that decrement a hold count.
	 */
	private static final int FRAMES_TO_COUNT_DOWN = FRAMES_TO_UNDO / 8;

	private StackRoom() {
	}

	/**
	 * Require room to release a reentrant acquisition.
	 * @throws StackOverflowError if there is not enough, before anything is acquired
	 */
	static void requireToCountDown() {
		descend(FRAMES_TO_COUNT_DOWN, 1, 2, 3, 4);
	}

	/**
	 * Require room to undo an acquisition.
	 * @throws StackOverflowError if there is not enough, before anything is acquired
	 */
	static void requireToUndo() {
		descend(FRAMES_TO_UNDO, 1, 2, 3, 4);
	}

	/**
	 * Initialize classes in advance: a class whose initialization fails because of a
	 * stack overflow can never be used.
	 */
	static void initialize(MethodHandles.Lookup lookup, Class<?>... types) {
		try {
			for (Class<?> type : types) {
				lookup.ensureInitialized(type);
			}
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Recurse, to check the free space. All parameters are used after the recursive call,
	 * so that they are kept in the frame: a few large frames are faster than many small
	 * ones.
	 */
	private static long descend(int frames, long a, long b, long c, long d) {
		return (frames > 0) ? descend(frames - 1, b, c, d, a) + (a ^ b ^ c ^ d) : 0;
	}

}
