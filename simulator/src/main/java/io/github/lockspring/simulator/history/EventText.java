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

package io.github.lockspring.simulator.history;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

/**
 * Text form of events: {@code time process worker fact name=value …}, in the order in
 * which the record of the fact declares its components. What is not printable ASCII, or
 * has a meaning in the form, is written as {@code %} and four hexadecimal digits.
 */
final class EventText {

	private static final Map<String, Form> BY_NAME = new TreeMap<>();

	private static final ClassValue<Form> BY_TYPE = new ClassValue<>() {

		@Override
		protected Form computeValue(Class<?> type) {
			return form(name(type.getSimpleName()));
		}

	};

	static {
		register(Fact.class);
	}

	private EventText() {
	}

	private static void register(Class<?> type) {
		if (type.isRecord()) {
			BY_NAME.put(name(type.getSimpleName()), new Form(type));
		}
		else {
			Arrays.stream(type.getPermittedSubclasses()).forEach(EventText::register);
		}
	}

	static String name(String type) {
		return type.replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
	}

	static String print(Event event) {
		StringBuilder line = new StringBuilder(96);
		line.append(event.time()).append(' ');
		escape(event.process(), line).append(' ');
		escape(event.worker(), line).append(' ');
		BY_TYPE.get(event.fact().getClass()).print(event.fact(), line);
		return line.toString();
	}

	static Event parse(String line) {
		String[] parts = line.split(" ", -1);
		Assert.isTrue(parts.length > 3, () -> "No event: " + line);
		return new Event(Long.parseLong(parts[0]), unescape(parts[1]), unescape(parts[2]), form(parts[3]).parse(parts));
	}

	private static Form form(String name) {
		Form form = BY_NAME.get(name);
		if (form == null) {
			throw new IllegalArgumentException("No fact is named so: " + name);
		}
		return form;
	}

	private static StringBuilder escape(String text, StringBuilder to) {
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c > ' ' && c < 0x7f && c != '%' && c != '=' && c != ',') {
				to.append(c);
			}
			else {
				to.append('%').append(Integer.toHexString(c | 0x10000), 1, 5);
			}
		}
		return text.isEmpty() ? to.append('%') : to;
	}

	private static String unescape(String text) {
		if (text.indexOf('%') < 0) {
			return text;
		}
		StringBuilder plain = new StringBuilder();
		for (int i = 0; i < text.length() && text.length() > 1; i++) {
			if (text.charAt(i) == '%') {
				plain.append((char) Integer.parseInt(text, i + 1, i + 5, 16));
				i += 4;
			}
			else {
				plain.append(text.charAt(i));
			}
		}
		return plain.toString();
	}

	/**
	 * Text form of one type of fact.
	 */
	private static final class Form {

		private final String name;

		private final RecordComponent[] components;

		private final Constructor<?> constructor;

		Form(Class<?> type) {
			this.name = name(type.getSimpleName());
			this.components = type.getRecordComponents();
			try {
				this.constructor = type.getDeclaredConstructor(
						Arrays.stream(this.components).map(RecordComponent::getType).toArray(Class<?>[]::new));
			}
			catch (NoSuchMethodException ex) {
				throw new IllegalStateException(ex);
			}
			this.constructor.setAccessible(true);
			Arrays.stream(this.components).forEach((component) -> component.getAccessor().setAccessible(true));
		}

		void print(Fact fact, StringBuilder line) {
			line.append(this.name);
			for (RecordComponent component : this.components) {
				line.append(' ').append(component.getName()).append('=');
				printValue(Objects.requireNonNull(ReflectionUtils.invokeMethod(component.getAccessor(), fact)), line);
			}
		}

		private void printValue(Object value, StringBuilder line) {
			if (value instanceof List<?> list) {
				for (int i = 0; i < list.size(); i++) {
					escape((String) list.get(i), (i > 0) ? line.append(',') : line);
				}
			}
			else if (value instanceof Enum<?> constant) {
				line.append(constant.name());
			}
			else {
				escape(value.toString(), line);
			}
		}

		Fact parse(String[] parts) {
			Assert.isTrue(parts.length == this.components.length + 4, () -> "Fields of " + this.name + " are missing");
			Object[] values = new Object[this.components.length];
			for (int i = 0; i < values.length; i++) {
				String prefix = this.components[i].getName() + "=";
				String part = parts[i + 4];
				Assert.isTrue(part.startsWith(prefix), () -> "Expected " + prefix + " in " + this.name);
				values[i] = parseValue(this.components[i].getType(), part.substring(prefix.length()));
			}
			try {
				return (Fact) this.constructor.newInstance(values);
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalArgumentException("No " + this.name, ex);
			}
		}

		@SuppressWarnings({ "unchecked", "rawtypes" })
		private static Object parseValue(Class<?> type, String text) {
			if (type == long.class) {
				return Long.parseLong(text);
			}
			if (type == int.class) {
				return Integer.parseInt(text);
			}
			if (type == boolean.class) {
				return Boolean.parseBoolean(text);
			}
			if (type.isEnum()) {
				return Enum.valueOf((Class) type, text);
			}
			if (type == List.class) {
				return text.isEmpty() ? List.of()
						: Arrays.stream(text.split(",", -1)).map(EventText::unescape).toList();
			}
			return unescape(text);
		}

	}

}
