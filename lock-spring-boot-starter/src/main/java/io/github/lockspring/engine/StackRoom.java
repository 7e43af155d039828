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
 * with enough of it can also be undone and released: a stack that overflows later does so
 * in deeper calls, while the frames from here on have room to clean up.
 */
final class StackRoom {

	/**
	 * Some kilobytes, more than all calls that are needed to leave a queue, promote the
	 * next hold, and release a lease in the background. Model checkers mistake so many
	 * calls of one method for a thread that hangs, and get fewer.
	 */
	private static final int FRAMES_TO_UNDO = Integer.getInteger("lock.engine.stack-room", 80);

	/**
	 * More than all calls that are needed to decrement a hold count.
	 */
	private static final int FRAMES_TO_COUNT_DOWN = FRAMES_TO_UNDO / 8;

	private StackRoom() {
	}

	/**
	 * Require room to release a re-entry.
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
	 * Initialize classes, which could no longer be used if that failed for lack of room.
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
	 * Needs all parameters again when it returns, so that they are kept in its frame: few
	 * large frames take less time than many small ones.
	 */
	private static long descend(int frames, long a, long b, long c, long d) {
		return (frames > 0) ? descend(frames - 1, b, c, d, a) + (a ^ b ^ c ^ d) : 0;
	}

}
