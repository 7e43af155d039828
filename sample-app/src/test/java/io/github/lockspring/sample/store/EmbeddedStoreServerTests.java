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

package io.github.lockspring.sample.store;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.server.Torture;

/**
 * Tests for {@link EmbeddedStore}, with real servers.
 */
class EmbeddedStoreServerTests {

	@ParameterizedTest
	@ValueSource(strings = { "redis=embedded", "postgres=embedded" })
	void standsStillWhilePausedAndEndsWhenClosed(String option) throws Exception {
		StoreCheck.standsStillWhilePausedAndEndsWhenClosed(option);
	}

	@Torture(alsoIn = "EmbeddedStoreServerTests#standsStillWhilePausedAndEndsWhenClosed")
	@ParameterizedTest
	@ValueSource(strings = { "zookeeper=embedded", "mariadb=embedded" })
	void otherStoreStandsStillWhilePausedAndEndsWhenClosed(String option) throws Exception {
		StoreCheck.standsStillWhilePausedAndEndsWhenClosed(option);
	}

	@Torture(alsoIn = "EmbeddedStoreServerTests#endsWithTheProcessThatStartedItWhilePaused")
	@ParameterizedTest
	@ValueSource(strings = { "redis=embedded", "zookeeper=embedded", "postgres=embedded", "mariadb=embedded" })
	void endsWithTheProcessThatStartedIt(String option) throws Exception {
		StoreCheck.endsWithTheProcessThatStartedIt(option);
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis=embedded", "postgres=embedded" })
	void endsWithTheProcessThatStartedItWhilePaused(String option) throws Exception {
		StoreCheck.endsWithTheProcessThatStartedIt(option, StoreParent.PAUSED);
	}

	@Torture(alsoIn = "EmbeddedStoreServerTests#endsWithTheProcessThatStartedItWhilePaused")
	@ParameterizedTest
	@ValueSource(strings = { "zookeeper=embedded", "mariadb=embedded" })
	void otherStoreEndsWithTheProcessThatStartedItWhilePaused(String option) throws Exception {
		StoreCheck.endsWithTheProcessThatStartedIt(option, StoreParent.PAUSED);
	}

}
