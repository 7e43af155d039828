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

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A wish for a lease, and later the name of that lease: one or several keys, the terms,
 * and an owner that no other request has.
 * <p>
 * Immutable. Two requests are equal if their owners are, because an owner makes one
 * request only; a {@linkplain #part(List) part} of it names a part of the lease.
 */
public final class LeaseRequest {

	private final String key;

	private final List<String> otherKeys;

	private final LeaseTerms terms;

	private final String instance;

	private final long sequence;

	/**
	 * Creates a request for one key.
	 * @param key the key
	 * @param terms the terms
	 * @param instance the process that asks, as in {@link OwnerId#instance()}
	 * @param sequence the number of this request in that process, as in
	 * {@link OwnerId#sequence()}
	 */
	public LeaseRequest(String key, LeaseTerms terms, String instance, long sequence) {
		this(key, Collections.emptyList(), terms, instance, sequence);
	}

	/**
	 * Creates a request for several keys, all of them or none.
	 * @param keys the keys, at least one, without duplicates and sorted
	 * @param terms the terms
	 * @param owner the owner of this request, and of no other
	 */
	public LeaseRequest(List<String> keys, LeaseTerms terms, OwnerId owner) {
		this(keys.get(0), List.copyOf(keys.subList(1, keys.size())), terms, owner.instance(), owner.sequence());
	}

	private LeaseRequest(String key, List<String> otherKeys, LeaseTerms terms, String instance, long sequence) {
		this.key = key;
		this.otherKeys = otherKeys;
		this.terms = terms;
		this.instance = instance;
		this.sequence = sequence;
	}

	/**
	 * The key, or the first of several.
	 * @return the key
	 */
	public String key() {
		return this.key;
	}

	/**
	 * All keys, sorted.
	 * @return the keys
	 */
	public List<String> keys() {
		if (this.otherKeys.isEmpty()) {
			return List.of(this.key);
		}
		List<String> keys = new ArrayList<>(this.otherKeys.size() + 1);
		keys.add(this.key);
		keys.addAll(this.otherKeys);
		return Collections.unmodifiableList(keys);
	}

	/**
	 * Whether there is more than one key.
	 * @return {@code true} for several keys
	 */
	public boolean hasMultipleKeys() {
		return !this.otherKeys.isEmpty();
	}

	/**
	 * The part of this request that some of its keys are. It is equal to this request.
	 * @param keys some of the keys, at least one, sorted
	 * @return a request of the same owner, which names a part of its lease
	 */
	public LeaseRequest part(List<String> keys) {
		return new LeaseRequest(keys, this.terms, owner());
	}

	/**
	 * What is left of this request without some of its keys.
	 * @param keys the keys to leave out, of which it may not have all
	 * @return the rest, or {@code null} if there is none
	 */
	public @Nullable LeaseRequest without(Collection<String> keys) {
		List<String> rest = new ArrayList<>(keys());
		rest.removeAll(Set.copyOf(keys));
		return rest.isEmpty() ? null : part(rest);
	}

	/**
	 * This request together with another part of the same lease.
	 * @param other the other part
	 * @return both
	 */
	public LeaseRequest and(LeaseRequest other) {
		return part(Stream.concat(keys().stream(), other.keys().stream()).distinct().sorted().toList());
	}

	/**
	 * What is wanted of the keys, and for how long.
	 * @return the terms
	 */
	public LeaseTerms terms() {
		return this.terms;
	}

	/**
	 * Who asks.
	 * @return the owner
	 */
	public OwnerId owner() {
		return new OwnerId(this.instance, this.sequence);
	}

	@Override
	public boolean equals(Object other) {
		return other == this || (other instanceof LeaseRequest that && this.sequence == that.sequence
				&& this.instance.equals(that.instance));
	}

	@Override
	public int hashCode() {
		return Long.hashCode(this.sequence);
	}

	@Override
	public String toString() {
		return this.terms.mode() + " lease " + owner(); // keys may hold anything
	}

}
