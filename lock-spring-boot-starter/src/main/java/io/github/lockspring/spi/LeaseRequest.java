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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Request for a lease, which later identifies that lease: one or several keys, the terms,
 * and an owner that is unique to the request.
 * <p>
 * Immutable. Two requests are equal if their owners are equal, because an owner makes
 * only one request; a {@linkplain #part(List) part} of it identifies a part of the lease.
 */
public final class LeaseRequest {

	/**
	 * The key, or an array of several.
	 */
	private final Object keys;

	private final LeaseTerms terms;

	private final String instance;

	private final long sequence;

	/**
	 * Create a request for one key.
	 * @param key the key
	 * @param terms the terms
	 * @param instance the requesting process, as in {@link OwnerId#instance()}
	 * @param sequence the number of this request in that process, as in
	 * {@link OwnerId#sequence()}
	 */
	public LeaseRequest(String key, LeaseTerms terms, String instance, long sequence) {
		this((Object) key, terms, instance, sequence);
	}

	/**
	 * Create a request for several keys, all of which are granted or none, and whose
	 * terms are as in {@link Capability#MULTI_KEY}; or for one key.
	 * @param keys the keys, at least one, without duplicates and sorted
	 * @param terms the terms
	 * @param owner the owner, unique to this request
	 */
	public LeaseRequest(List<String> keys, LeaseTerms terms, OwnerId owner) {
		this((keys.size() > 1) ? keys.toArray(String[]::new) : keys.get(0), terms, owner.instance(), owner.sequence());
	}

	private LeaseRequest(Object keys, LeaseTerms terms, String instance, long sequence) {
		this.keys = keys;
		this.terms = terms;
		this.instance = instance;
		this.sequence = sequence;
	}

	/**
	 * Return the key, or the first of several.
	 * @return the key
	 */
	public String key() {
		return (this.keys instanceof String key) ? key : ((String[]) this.keys)[0];
	}

	/**
	 * Return all keys, sorted.
	 * @return the keys
	 */
	public List<String> keys() {
		return (this.keys instanceof String key) ? List.of(key) : List.of((String[]) this.keys);
	}

	/**
	 * Return whether there is more than one key.
	 * @return {@code true} for several keys
	 */
	public boolean hasMultipleKeys() {
		return this.keys instanceof String[];
	}

	/**
	 * Return a part of this request, with some of its keys. It is equal to this request.
	 * @param keys some of the keys, at least one, sorted
	 * @return a request of the same owner, which identifies a part of its lease
	 */
	public LeaseRequest part(List<String> keys) {
		return new LeaseRequest(keys, this.terms, owner());
	}

	/**
	 * Return the part of this request without some of its keys.
	 * @param keys the keys to leave out; keys that this request does not have are ignored
	 * @return the remaining part, or {@code null} if no key is left
	 */
	public @Nullable LeaseRequest without(Collection<String> keys) {
		if (!hasMultipleKeys()) {
			return keys.contains(key()) ? null : this;
		}
		List<String> remaining = new ArrayList<>(keys());
		remaining.removeAll(Set.copyOf(keys));
		return remaining.isEmpty() ? null : part(remaining);
	}

	/**
	 * Return this request joined with another part of the same lease.
	 * @param other the other part
	 * @return a request with the keys of both
	 */
	public LeaseRequest and(LeaseRequest other) {
		return part(Stream.concat(keys().stream(), other.keys().stream()).distinct().sorted().toList());
	}

	/**
	 * Return this request with another lease time, to renew its lease for that. It is
	 * equal to this request.
	 * @param leaseTime the lease time
	 * @return a request of the same owner
	 */
	public LeaseRequest withLeaseTime(Duration leaseTime) {
		LeaseTerms terms = new LeaseTerms(this.terms.mode(), this.terms.fair(), leaseTime, this.terms.tokens(),
				this.terms.recallable());
		return new LeaseRequest(this.keys, terms, this.instance, this.sequence);
	}

	/**
	 * Return the terms of the requested lease.
	 * @return the terms
	 */
	public LeaseTerms terms() {
		return this.terms;
	}

	/**
	 * Return the owner of this request.
	 * @return the owner
	 */
	public OwnerId owner() {
		return new OwnerId(this.instance, this.sequence);
	}

	/**
	 * Return the text of the owner of this request, by which stores identify it.
	 * @return the text of {@link #owner()}
	 */
	public String ownerText() {
		return ownerText("");
	}

	/**
	 * Return the text of the owner of this request with a suffix.
	 * @param suffix the suffix
	 * @return the text of {@link #owner()}, and the suffix
	 */
	public String ownerText(String suffix) {
		return this.instance + '-' + Long.toHexString(this.sequence) + suffix;
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
		return this.terms.mode() + " lease " + ownerText(); // keys may hold anything
	}

}
