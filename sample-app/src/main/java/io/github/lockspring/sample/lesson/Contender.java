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

package io.github.lockspring.sample.lesson;

import java.time.Duration;

import io.github.lockspring.sample.homemade.HomemadeLock;

/**
 * A thread that wants to be inside, with a lock of its own or of the starter.
 */
interface Contender extends AutoCloseable {

	/**
	 * Instead of a token: the lock has none.
	 */
	long UNFENCED = 0;

	/**
	 * Instead of a token: the lock is known to be lost, so that its holder does not
	 * write.
	 */
	long LOST = -1;

	/**
	 * Try to get inside.
	 * @param waitTime how long
	 * @return whether it is inside
	 */
	boolean enter(Duration waitTime) throws Exception;

	/**
	 * Return the fencing token with which to write now.
	 * @return the token, {@link #UNFENCED} or {@link #LOST}
	 */
	long token() throws Exception;

	/**
	 * Release the lock.
	 */
	void leave() throws Exception;

	@Override
	void close();

	/**
	 * Return a contender with a homemade lock.
	 */
	static Contender of(HomemadeLock lock) {
		return new Contender() {

			@Override
			public boolean enter(Duration waitTime) throws Exception {
				return lock.tryLock(waitTime);
			}

			@Override
			public long token() {
				return UNFENCED;
			}

			@Override
			public void leave() throws Exception {
				lock.unlock();
			}

			@Override
			public void close() {
				lock.close();
			}

		};
	}

}
