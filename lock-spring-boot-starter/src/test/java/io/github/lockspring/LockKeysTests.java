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

package io.github.lockspring;

import java.text.Normalizer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.spi.TimeSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for which texts are keys, and for how keys look in messages.
 */
class LockKeysTests {

	private static final LockOptions TRY_ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final LockEngine engine = new LockEngine(new LocalLockBackend(), EngineSettings.defaults(),
			EngineListener.NONE, TimeSource.SYSTEM);

	private final LockTemplate locks = new LockTemplate(this.engine, "lock:", TRY_ONCE);

	@AfterEach
	void close() {
		this.engine.close();
	}

	private String messageOfRejection(String key) {
		String[] message = new String[1];
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.locks.acquire(key, TRY_ONCE))
			.satisfies((ex) -> message[0] = ex.getMessage());
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.locks.tryAcquire(key, TRY_ONCE));
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.locks.storeKey(key));
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.locks.acquireAll(Arrays.asList("a", key), TRY_ONCE));
		assertThat(this.engine.size()).isZero();
		return message[0];
	}

	private void assertAccepted(String key) {
		try (LockHandle lock = this.locks.acquire(key, TRY_ONCE)) {
			assertThat(lock.key()).isEqualTo(key);
			assertThat(lock.isHeld()).isTrue();
		}
		assertThat(this.engine.size()).isZero();
	}

	private void assertIndependent(String... keys) {
		List<LockHandle> held = Arrays.stream(keys).map((key) -> this.locks.acquire(key, TRY_ONCE)).toList();
		assertThat(this.engine.size()).isEqualTo(keys.length);
		held.forEach(LockHandle::close);
	}

	@Test
	void nullIsRejected() {
		assertThat(messageOfRejection(null)).contains("null");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "   ", "\t\n", "\u3000", "\u00a0", "\u2007 \u202f" })
	void blankIsRejected(String key) {
		assertThat(messageOfRejection(key)).contains("blank");
	}

	@Test
	void blanksAroundCount() {
		assertIndependent("a", " a", "a ", " a ");
	}

	@Test
	void keyMayHave512Bytes() {
		assertAccepted("k".repeat(512));
		assertAccepted("é".repeat(256));
		assertAccepted("漢".repeat(170) + "ab");
		assertAccepted("😀".repeat(128));
	}

	@Test
	void keyMustNotHaveMore() {
		for (String key : List.of("k".repeat(513), "é".repeat(256) + "a", "漢".repeat(171), "😀".repeat(128) + "a")) {
			assertThat(messageOfRejection(key)).contains("512 bytes").hasSizeLessThan(300);
		}
	}

	@Test
	void hugeKeyIsNotCopiedIntoTheMessage() {
		assertThat(messageOfRejection("k".repeat(100_000_000))).contains("100000000 characters").hasSizeLessThan(300);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a\u0000b", "a\nb", "a\rb", "a\u001b[31mb", "\u007f", "a\u2028b", "a\u0085b" })
	void controlCharactersAreAcceptedAndEscaped(String key) {
		assertAccepted(key);
		assertPlain(messageOfConflict(key));
	}

	private static void assertPlain(String message) {
		assertThat(message.chars()).noneMatch((c) -> Character.getType(c) == Character.CONTROL
				|| Character.getType(c) == Character.FORMAT || Character.getType(c) == Character.LINE_SEPARATOR);
	}

	private String messageOfConflict(String key) {
		LockTemplate elsewhere = new LockTemplate(this.engine, "lock:", TRY_ONCE);
		String[] message = new String[1];
		try (LockHandle lock = this.locks.acquire(key, TRY_ONCE)) {
			assertThat(lock.isHeld()).isTrue();
			Thread other = new Thread(
					() -> message[0] = catchThrowable(() -> elsewhere.acquire(key, TRY_ONCE)).getMessage());
			other.start();
			other.join();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
		return message[0];
	}

	@ParameterizedTest
	@ValueSource(strings = { "😀", "漢字", "\u202eabc", "e\u0301", "\ufeffa", "👩‍👩‍👧" })
	void allOfUnicodeIsAccepted(String key) {
		assertAccepted(key);
		assertPlain(messageOfConflict(key));
	}

	@Test
	void composedAndDecomposedAreTwoKeys() {
		assertIndependent(Normalizer.normalize("é", Normalizer.Form.NFC),
				Normalizer.normalize("é", Normalizer.Form.NFD));
	}

	@ParameterizedTest
	@ValueSource(strings = { "\ud83d", "a\ud83d", "\ude00", "a\ude00b", "\ud83d\ud83d\ude00", "\ude00\ud83d" })
	void halfOfASurrogatePairIsRejected(String key) {
		assertThat(messageOfRejection(key)).contains("surrogate").matches("\\A\\p{Print}*\\z");
	}

	@Test
	void characterOfInternalKeysIsRejected() {
		assertThat(messageOfRejection("a\uffffb")).contains("U+FFFF").matches("\\A\\p{Print}*\\z");
		assertIndependent("\ufffe", "\ufffd");
	}

	@Test
	void pathsAreIndependent() {
		assertIndependent("a/b", "/a", "a//b", ".", "..", "../../x", "a/b/", "a", "b");
	}

	@Test
	void bracesQuotesAndPatternsAreIndependent() {
		assertIndependent("{x}", "{}", "a{b", "}{", "x", "'; DROP TABLE lock;--", "%", "_", "\\", "*", "?", "[a]", "a");
	}

	@Test
	void caseAccentAndSharpSCount() {
		assertIndependent("Key", "key", "KEY", "é", "e", "ß", "ss", "SS", "key ");
	}

	@Test
	void keysThatLookLikeOursAreIndependent() {
		assertIndependent("a", "a:fence", "lock-0000000001", "lock:a", ":", "a:");
	}

	@Test
	void messagesShow128CharactersOfTheKey() {
		String message = messageOfConflict("k".repeat(512));
		int start = message.indexOf('\'');
		int end = message.lastIndexOf('\'');
		assertThat(end + 1 - start).isEqualTo(128);
		assertThat(message.substring(start, end + 1)).startsWith("'lock:kkk").endsWith("k…'");
	}

	@Test
	void messagesShowShortKeysWhole() {
		assertThat(messageOfConflict("order 42")).contains("'lock:order 42'");
		assertThat(messageOfConflict("a\nb\\c")).contains("'lock:a\\u000ab\\u005cc'");
	}

}
