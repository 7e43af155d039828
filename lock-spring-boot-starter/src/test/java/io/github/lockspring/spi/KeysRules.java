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

package io.github.lockspring.spi;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules of the text of keys: whatever it is, it names a lock of its own.
 */
@Tag(LockBackendContractTests.EVERYWHERE)
abstract class KeysRules extends BackendRules {

	private static final int MAX_BYTES = 898;

	/**
	 * Texts that stores, paths, patterns, scripts, collations and encodings might take
	 * for something else, or for each other.
	 */
	private static final List<String> TEXTS = List.of("key", "Key", "KEY", "key ", " key", "key\t", "key  ", "k ey",
			"e", "\u00e9", "e\u0301", "\u00c9", "\u00df", "ss", "\u1e9e", "i", "\u0131", "\u0130", "\u00e4", "a",
			"\uff41", "\u00bd", "1/2", "0", "00", "1", "1.0", "+1", "-1", "null", "NULL", "", "a/b", "a//b", "a/", "/a",
			"/", "//", ".", "..", "...", "../../x", "a\\b", "\\", "\\\\", "\\0", "{x}", "{y}", "{}", "{", "}", "}{",
			"{{x}}", "${x}", "#{x}", "%", "%%", "%s", "_", "a%", "a_", "ab", "*", "?", "[a]", "[^a]", "'", "''", "\"",
			"`", ";", "--", "/*", "'; DROP TABLE lock_lease; --", "' OR '1'='1", ":", "::", "a:b", "a:b:c", ":fence",
			":queue", ":token", "lock-0000000001", "@", "#", "&", "=", "a=b", "a&b", "<a>", "&amp;", "\0", "a\0b",
			"a\0", "\n", "a\nb", "\r\n", "\u001b[31m", "\u007f", "\u0085", "\u00a0", "\u2028", "\u200b", "\u200d",
			"\ufeff", "\ufffd", "\uffff", "\u202eabc", "\u05d0\u05d1", "\u0627\u0644", "\u65e5\u672c\u8a9e",
			"\u6f22\u5b57", "\u30ab\u3099", "\u30ac", "\ud83d\ude00", "\ud83d\ude01",
			"\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67", "\ud834\udd1e", "\udbff\udffd");

	KeysRules(LockBackendContractTests contract) {
		super(contract);
	}

	@Test
	void everyTextAfterAPrefixIsALockOfItsOwn() {
		assertIndependent(TEXTS.stream().map((text) -> this.key + text).toList());
	}

	@Test
	void everyTextBeforeASuffixIsALockOfItsOwn() {
		assertIndependent(TEXTS.stream().map((text) -> text + this.key).toList());
	}

	@Test
	void longKeysAreLocksOfTheirOwn() {
		assertIndependent(Stream.of("x", "\u00e9", "\u65e5", "\ud83d\ude00")
			.flatMap((text) -> Stream.of(lengthen(text, "a"), lengthen(text, "b"), lengthen(text, "A")))
			.toList());
	}

	@Test
	void controlCharactersAreLocksOfTheirOwn() {
		List<String> keys = new ArrayList<>();
		for (char control = 0; control < ' '; control++) {
			keys.add(this.key + control);
			keys.add(this.key + control + "x");
		}
		assertIndependent(keys);
	}

	@Test
	void keyIsShownUnderItsOwnTextOnly() {
		LeaseRequest lease = this.one.acquire(this.key + "Key");
		assertThat(this.two.inspect(this.key + "Key")).extracting(LeaseHolder::owner)
			.containsExactly(lease.owner().toString());
		assertThat(this.two.inspect(this.key + "key")).isEmpty();
		assertThat(this.two.inspect(this.key + "Key ")).isEmpty();
		assertThat(this.two.inspect(this.key + "Ke%")).isEmpty();
	}

	/**
	 * Makes a key as long as keys may be, in UTF-8, that differs from others at its end
	 * only.
	 */
	private String lengthen(String text, String end) {
		StringBuilder longest = new StringBuilder(this.key);
		int left = MAX_BYTES - longest.length() - end.length();
		int size = text.getBytes(StandardCharsets.UTF_8).length;
		longest.append(text.repeat(left / size)).append("x".repeat(left % size)).append(end);
		assertThat(longest.toString().getBytes(StandardCharsets.UTF_8)).hasSize(MAX_BYTES);
		return longest.toString();
	}

	private void assertIndependent(List<String> keys) {
		assertThat(keys).doesNotHaveDuplicates();
		Map<String, LeaseRequest> leases = new LinkedHashMap<>();
		keys.forEach((key) -> leases.put(key, this.one.acquire(key)));
		assertThat(keys).noneMatch((key) -> this.two.acquires(this.two.request(key)));
		leases.forEach((key, lease) -> {
			assertThat(this.one.release(lease)).as("release of " + lease).isTrue();
			assertThat(this.two.acquires(this.two.request(key))).as("acquire after " + lease).isTrue();
		});
	}

}
