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

package io.github.lockspring.jdbc;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.state.KeyEntry;
import io.github.lockspring.spi.state.KeyState;
import io.github.lockspring.spi.state.KeyStates;
import io.github.lockspring.support.Durations;

/**
 * Row of a key, as read from the table: an exclusive holder is stored in columns, other
 * holders and the queue in lines of text. Immutable.
 *
 * @param version the version of the row, {@link #ABSENT} if there is no row
 * @param awaited whether releases will be notified for a while
 * @param state the state of the key, by the clock of the database
 */
record KeyRow(long version, boolean awaited, KeyState state) {

	/**
	 * Version of a row that does not exist.
	 */
	static final long ABSENT = -1;

	static KeyRow absent(Instant now) {
		return new KeyRow(ABSENT, false, KeyState.free(now, 0));
	}

	/**
	 * Return the row with these columns.
	 * @param exclusive the holder in the columns of the row, or {@code null}
	 * @param sharedUntil the maximum end of the other holders: one with a later end was
	 * there before the last exclusive holder, even if the clock has been changed since
	 * @param lines the other holders and the queue, or {@code null}
	 * @param waiting the other waiting owners
	 */
	static KeyRow of(long version, Instant now, long token, @Nullable KeyEntry exclusive, long sharedUntil,
			@Nullable String lines, List<String> waiting) {
		Instant latest = Durations.ofMicros(sharedUntil);
		List<KeyEntry> others = Stream.ofNullable(lines)
			.flatMap(String::lines)
			.map(KeyEntry::ofLine)
			.filter((entry) -> entry.queued() || !entry.end().isAfter(latest))
			.toList();
		List<KeyEntry> holders = Stream
			.concat(Stream.ofNullable(exclusive), others.stream().filter((entry) -> !entry.queued()))
			.toList();
		List<KeyEntry> queue = others.stream().filter(KeyEntry::queued).toList();
		return new KeyRow(version, false, new KeyState(now, token, holders, queue, waiting).at(now));
	}

	/**
	 * Return the states of the keys of a request.
	 */
	static KeyStates states(LeaseRequest request, Map<String, KeyRow> rows) {
		return KeyStates.of(request.keys(), (key) -> of(key, rows).state());
	}

	static KeyRow of(String key, Map<String, KeyRow> rows) {
		return Objects.requireNonNull(rows.get(key), "row");
	}

	/**
	 * Return the holders and the queue as text, without the exclusive holder.
	 */
	@Nullable String toLines() {
		StringBuilder lines = new StringBuilder();
		Stream.concat(sharers(), this.state.queue().stream())
			.forEach((entry) -> lines.append(entry.toLine()).append('\n'));
		return lines.isEmpty() ? null : lines.toString();
	}

	/**
	 * Return the maximum end of the holders that are not exclusive, in microseconds, 0 if
	 * there are none.
	 */
	long sharedUntil() {
		return sharers().map((entry) -> Durations.micros(entry.end())).reduce(0L, Math::max);
	}

	private Stream<KeyEntry> sharers() {
		return this.state.holders().stream().filter((entry) -> !entry.isExclusive());
	}

	/**
	 * Return whether the holder is asked to release its lease for others.
	 */
	boolean isRecallable() {
		KeyEntry exclusive = this.state.exclusive();
		return exclusive != null && exclusive.recallable();
	}

	/**
	 * Return whether the row has this version.
	 */
	boolean isOf(@Nullable Long version) {
		return version != null && this.version == version;
	}

	/**
	 * Return the state after a release. The key is handed off unless the release is
	 * notified.
	 */
	KeyState released(String owner) {
		return this.awaited ? this.state.without(owner) : this.state.released(owner);
	}

	/**
	 * Return this row with another version.
	 */
	KeyRow at(long version) {
		return new KeyRow(version, this.awaited, this.state);
	}

	/**
	 * Return this row with or without notifications of releases.
	 */
	KeyRow awaited(boolean awaited) {
		return new KeyRow(this.version, awaited, this.state);
	}

	/**
	 * Return this row with another state of the key.
	 */
	KeyRow with(KeyState state) {
		return new KeyRow(this.version, this.awaited, state);
	}

}
