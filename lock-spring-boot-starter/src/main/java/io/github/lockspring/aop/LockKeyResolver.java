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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;
import org.springframework.util.function.SingletonSupplier;

import io.github.lockspring.InvalidLockKeyException;
import io.github.lockspring.LockKeyConverter;

/**
 * Converts the values of key expressions to keys. Numbers that are equal have the same
 * key, regardless of their type: {@code 1}, {@code 1.0} and {@code 1.00} are {@code "1"}.
 */
final class LockKeyResolver {

	private static final int MAX_DIGITS = 512;

	private final Supplier<List<LockKeyConverter>> converters;

	/**
	 * Create a resolver.
	 * @param converters supplies the converters of the application; called when the first
	 * key requires one
	 */
	LockKeyResolver(Supplier<List<LockKeyConverter>> converters) {
		this.converters = SingletonSupplier.of(converters);
	}

	/**
	 * Return the key for a value: a {@link Long} or an {@link Integer} unchanged, any
	 * other single value as a string, several values as a list of strings.
	 * @param value the value of the expression
	 * @return the key
	 * @throws InvalidLockKeyException if the value cannot be converted to a key
	 */
	Object keyOf(@Nullable Object value) {
		if (value instanceof Long || value instanceof Integer) {
			return value;
		}
		Object key = requirePresent(value);
		Collection<?> elements = elementsOf(key);
		return (elements != null) ? textsOf(elements) : textOf(key);
	}

	/**
	 * Return a value that is present, unwrapped if it is an {@link Optional}.
	 * @param key the value of the expression
	 * @return the value
	 * @throws InvalidLockKeyException if the value is {@code null} or an empty
	 * {@code Optional}
	 */
	static Object requirePresent(@Nullable Object key) {
		if (key instanceof Optional<?> optional) {
			return optional.orElseThrow(() -> new InvalidLockKeyException("it is an empty Optional"));
		}
		if (key == null) {
			throw new InvalidLockKeyException("it is null");
		}
		return key;
	}

	/**
	 * Return the keys that are to be locked together.
	 * @param key the value of the expression
	 * @return the elements of a collection or an array, or {@code null} if the value is
	 * one key
	 */
	static @Nullable Collection<?> elementsOf(Object key) {
		if (key instanceof Collection<?> collection) {
			return collection;
		}
		return (key instanceof Object[] || key instanceof long[] || key instanceof int[])
				? Arrays.asList(ObjectUtils.toObjectArray(key)) : null;
	}

	List<String> textsOf(Collection<?> keys) {
		List<String> texts = new ArrayList<>(keys.size());
		for (Object key : keys) {
			if (key == null) {
				throw new InvalidLockKeyException("its element " + texts.size() + " is null");
			}
			texts.add(textOf(requirePresent(key)));
		}
		return texts;
	}

	String textOf(Object key) {
		if (key instanceof String text) {
			return text;
		}
		if (key instanceof Number number) {
			String text = textOfNumber(number);
			return (text != null) ? text : convert(key);
		}
		if (key instanceof UUID || key instanceof Boolean || key instanceof CharSequence || key instanceof Character) {
			return key.toString();
		}
		return (key instanceof Enum<?> constant) ? constant.name() : convert(key);
	}

	private static @Nullable String textOfNumber(Number number) {
		if (number instanceof Long || number instanceof Integer || number instanceof Short || number instanceof Byte
				|| number instanceof AtomicLong || number instanceof AtomicInteger) {
			return number.toString();
		}
		if (number instanceof BigInteger integer) {
			return textOfDecimal(new BigDecimal(integer));
		}
		if (number instanceof BigDecimal decimal) {
			return textOfDecimal(decimal);
		}
		return (number instanceof Double || number instanceof Float) ? textOfFloat(number) : null;
	}

	private static String textOfFloat(Number number) {
		if (!Double.isFinite(number.doubleValue())) {
			throw new InvalidLockKeyException("it is " + number);
		}
		return textOfDecimal(new BigDecimal(number.toString()));
	}

	private static String textOfDecimal(BigDecimal decimal) {
		if (decimal.unscaledValue().bitLength() > MAX_DIGITS * 4 || Math.abs((long) decimal.scale()) > MAX_DIGITS) {
			throw new InvalidLockKeyException("it is a number with more than " + MAX_DIGITS + " digits");
		}
		return decimal.stripTrailingZeros().toPlainString();
	}

	private String convert(Object key) {
		for (LockKeyConverter converter : this.converters.get()) {
			String text = converter.convert(key);
			if (text != null) {
				return text;
			}
		}
		throw new InvalidLockKeyException("a value of " + key.getClass()
				+ " cannot be converted to a key; use a string, a number, a UUID, an enum constant or a boolean, or define a bean"
				+ " of " + LockKeyConverter.class);
	}

}
