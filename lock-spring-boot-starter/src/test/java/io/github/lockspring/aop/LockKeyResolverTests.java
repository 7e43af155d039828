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

package io.github.lockspring.aop;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockspring.InvalidLockKeyException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link LockKeyResolver}.
 */
class LockKeyResolverTests {

	private final LockKeyResolver texts = new LockKeyResolver(List::of);

	@ParameterizedTest
	@MethodSource("keys")
	void keyHasItsText(Object key, String text) {
		assertThat(this.texts.textOf(key)).isEqualTo(text);
	}

	static Stream<Arguments> keys() {
		return Stream.of(arguments("42", "42"), arguments('4', "4"), arguments(new StringBuilder("a b "), "a b "),
				arguments(42L, "42"), arguments(-42, "-42"), arguments((short) 42, "42"), arguments((byte) -1, "-1"),
				arguments(Long.MIN_VALUE, "-9223372036854775808"), arguments(new AtomicLong(7), "7"),
				arguments(new AtomicInteger(7), "7"), arguments(new BigInteger("1200"), "1200"),
				arguments(new BigDecimal("1.0"), "1"), arguments(new BigDecimal("1.00"), "1"),
				arguments(new BigDecimal("1E+3"), "1000"), arguments(new BigDecimal("0.00"), "0"), arguments(1.0, "1"),
				arguments(0.1, "0.1"), arguments(0.1f, "0.1"), arguments(-0.0, "0"),
				arguments(1e21, "1000000000000000000000"), arguments(true, "true"),
				arguments(UUID.fromString("00000000-0000-002A-0000-00000000002A"),
						"00000000-0000-002a-0000-00000000002a"),
				arguments(TimeUnit.DAYS, "DAYS"), arguments(Size.LARGE, "LARGE"));
	}

	@ParameterizedTest
	@MethodSource("rejected")
	void keyWithoutAnObviousTextIsRejected(Object key, String reason) {
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> this.texts.textOf(key))
			.withMessageContaining(reason);
	}

	static Stream<Arguments> rejected() {
		return Stream.of(arguments(Double.NaN, "NaN"), arguments(Float.POSITIVE_INFINITY, "Infinity"),
				arguments(new BigDecimal("1E+1000000000"), "512 digits"),
				arguments(new BigDecimal("1E-1000000000"), "512 digits"),
				arguments(BigInteger.ONE.shiftLeft(1_000_000), "512 digits"),
				arguments(new byte[] { 1 }, "LockKeyConverter"), arguments(new char[] { 'a' }, "LockKeyConverter"),
				arguments(new Object(), "java.lang.Object"), arguments(Map.of("a", "b"), "LockKeyConverter"),
				arguments(Path.of("a"), "LockKeyConverter"), arguments(new DoubleAdder(), "DoubleAdder"),
				arguments(TimeZone.getDefault(), "LockKeyConverter"));
	}

	@Test
	void valueIsTakenOutOfAnOptional() {
		assertThat(LockKeyResolver.requirePresent(Optional.of(42L))).isEqualTo(42L);
	}

	@Test
	void emptyOptionalIsRejected() {
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> LockKeyResolver.requirePresent(Optional.empty()))
			.withMessageContaining("empty Optional");
	}

	@Test
	void nullIsRejected() {
		assertThatExceptionOfType(InvalidLockKeyException.class).isThrownBy(() -> LockKeyResolver.requirePresent(null))
			.withMessageContaining("null");
	}

	@ParameterizedTest
	@MethodSource("several")
	void collectionsAndArraysAreSeveralKeys(Object key, List<String> expected) {
		assertThat(this.texts.textsOf(LockKeyResolver.elementsOf(key))).containsExactlyElementsOf(expected);
	}

	static Stream<Arguments> several() {
		return Stream.of(arguments(List.of(1L, "b"), List.of("1", "b")), arguments(Set.of(1), List.of("1")),
				arguments(new String[] { "a" }, List.of("a")), arguments(new Long[] { 1L, 2L }, List.of("1", "2")),
				arguments(new long[] { 1, 2 }, List.of("1", "2")), arguments(new int[] { 3 }, List.of("3")),
				arguments(List.of(Optional.of("a")), List.of("a")), arguments(List.of(), List.of()));
	}

	@Test
	void bytesAreNotSeveralKeys() {
		assertThat(LockKeyResolver.elementsOf(new byte[] { 1 })).isNull();
	}

	@Test
	void nullAmongSeveralKeysIsRejected() {
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.texts.textsOf(Arrays.asList("a", null)))
			.withMessageContaining("element 1 is null");
	}

	@Test
	void collectionAmongSeveralKeysIsRejected() {
		assertThatExceptionOfType(InvalidLockKeyException.class)
			.isThrownBy(() -> this.texts.textsOf(List.of(List.of("a"))));
	}

	@Test
	void firstConverterThatKnowsTheTypeConverts() {
		LockKeyResolver texts = new LockKeyResolver(() -> List.of((key) -> null, Object::toString, (key) -> "late"));
		assertThat(texts.textOf(Path.of("a"))).isEqualTo("a");
	}

	@Test
	void convertersAreNotAskedForKeysThatHaveAText() {
		LockKeyResolver texts = new LockKeyResolver(() -> {
			throw new IllegalStateException();
		});
		assertThat(texts.textOf(42L)).isEqualTo("42");
		assertThatIllegalStateException().isThrownBy(() -> texts.textOf(new Object()));
	}

	enum Size {

		LARGE {

			@Override
			public String toString() {
				return "large";
			}

		}

	}

}
