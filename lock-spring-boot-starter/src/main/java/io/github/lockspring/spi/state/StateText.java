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

package io.github.lockspring.spi.state;

import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;

/**
 * Texts of states. The first line has the version of the format, which is 1, and of a key
 * its last token and the owners that wait without an entry, of a value its number, or a
 * hyphen if it was deleted, its version and the time at which it expires. The other lines
 * are the entries of the key, or the last updates of the value.
 */
final class StateText {

	private static final String FORMAT = "1";

	private static final String DELETED = "-";

	private StateText() {
	}

	static String of(KeyState state) {
		String head = Stream.concat(Stream.of(FORMAT, String.valueOf(state.token())), state.waiting().stream())
			.collect(Collectors.joining(" "));
		return Stream.concat(state.holders().stream(), state.queue().stream())
			.map(KeyEntry::toLine)
			.collect(Collectors.joining("\n", head + '\n', ""));
	}

	static String of(ValueState state) {
		return FORMAT + ' ' + (state.exists() ? state.number() : DELETED) + ' ' + state.version() + ' ' + state.expiry()
				+ '\n' + AppliedUpdate.toText(state.updates());
	}

	/**
	 * Read the state of a key as it is now.
	 * @throws BackendUnavailableException if the text was not written by this version
	 */
	static KeyState key(StateStore.Snapshot read) {
		String text = read.text();
		Instant now = read.now();
		return parse(text, KeyState.free(now, 0), (head) -> {
			List<KeyEntry> entries = lines(text).map(KeyEntry::ofLine).toList();
			return new KeyState(now, Long.parseLong(head.get(1)),
					entries.stream().filter((entry) -> !entry.queued()).toList(),
					entries.stream().filter(KeyEntry::queued).toList(), head.subList(2, head.size()))
				.at(now);
		});
	}

	/**
	 * Read the state of a value.
	 * @throws BackendUnavailableException if the text was not written by this version
	 */
	static ValueState value(@Nullable String text) {
		return parse(text, ValueState.NONE,
				(head) -> new ValueState(head.get(1).equals(DELETED) ? null : Long.valueOf(head.get(1)),
						Long.parseLong(head.get(2)), Long.parseLong(head.get(3)),
						AppliedUpdate.parse(lines(text).collect(Collectors.joining("\n")))));
	}

	private static <T> T parse(@Nullable String text, T none, Function<List<String>, T> parser) {
		if (text == null) {
			return none;
		}
		List<String> head = List.of(text.lines().findFirst().orElse("").split(" "));
		if (!head.get(0).equals(FORMAT)) {
			throw new BackendUnavailableException("The store has a text that this version cannot read", null);
		}
		try {
			return parser.apply(head);
		}
		catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
			throw new BackendUnavailableException("The store has foreign data at the id of a state", ex);
		}
	}

	private static Stream<String> lines(@Nullable String text) {
		return Stream.ofNullable(text).flatMap(String::lines).skip(1);
	}

}
