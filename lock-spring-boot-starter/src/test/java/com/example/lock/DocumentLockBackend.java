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

package com.example.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

import com.example.lock.DocumentStore.Document;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Capability;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;
import io.github.lockspring.spi.Renewal;

/**
 * Backend of a third party, as small as one can be: a document per key, changed by
 * conditional replacement. Documents are never deleted, so that fencing tokens grow.
 */
final class DocumentLockBackend implements LockBackend {

	private final DocumentStore store;

	DocumentLockBackend(DocumentStore store) {
		this.store = store;
	}

	@Override
	public String name() {
		return "document";
	}

	@Override
	public Set<Capability> capabilities() {
		return Set.of(Capability.FENCING);
	}

	@Override
	public void start(BackendListener listener) {
		// The store sends no notifications
	}

	@Override
	public Attempt tryAcquire(LeaseRequest request, Duration timeout) {
		long deadline = System.nanoTime() + timeout.toNanos();
		do {
			Document document = this.store.read(request.key());
			Instant now = this.store.now();
			if (document != null && document.end().isAfter(now)) {
				Duration remaining = Duration.between(now, document.end());
				return isOwned(document, request) ? new Grant(document.token(), remaining) : new Denial(remaining);
			}
			long token = (document != null) ? document.lastToken() + 1 : 1;
			Document granted = new Document(request.owner().toString(), token, token + request.terms().tokens() - 1,
					now.plus(request.terms().leaseTime()));
			if (this.store.replace(request.key(), document, granted)) {
				return new Grant(token, request.terms().leaseTime());
			}
		}
		while (System.nanoTime() - deadline < 0);
		throw new BackendUnavailableException("The document changed too often to be written", null);
	}

	@Override
	public Renewal renew(Collection<LeaseRequest> leases, Duration timeout) {
		Set<LeaseRequest> held = new HashSet<>();
		Set<LeaseRequest> lost = new HashSet<>();
		for (LeaseRequest lease : leases) {
			Instant end = this.store.now().plus(lease.terms().leaseTime());
			boolean renewed = replaceOwned(lease,
					(document) -> new Document(document.owner(), document.token(), document.lastToken(), end));
			(renewed ? held : lost).add(lease);
		}
		return new Renewal(held, lost);
	}

	@Override
	public boolean release(LeaseRequest lease, Duration timeout) {
		return replaceOwned(lease, (document) -> new Document("", document.token(), document.lastToken(), Instant.MIN));
	}

	@Override
	public boolean releaseWithDelay(LeaseRequest lease, Duration delay, Duration timeout) {
		Instant end = this.store.now().plus(delay);
		return replaceOwned(lease, (document) -> new Document("", document.token(), document.lastToken(), end));
	}

	@Override
	public List<LeaseHolder> inspect(String key, Duration timeout) {
		Document document = this.store.read(key);
		Instant now = this.store.now();
		if (document == null || !document.end().isAfter(now)) {
			return List.of();
		}
		return List.of(new LeaseHolder(document.owner(), LeaseMode.EXCLUSIVE, document.lastToken(),
				Duration.between(now, document.end())));
	}

	@Override
	public void close() {
		// The store belongs to the application
	}

	/**
	 * Replace the document of a lease that has not ended.
	 * @return {@code false} if the lease has ended
	 */
	private boolean replaceOwned(LeaseRequest lease, UnaryOperator<Document> change) {
		while (true) {
			Document document = this.store.read(lease.key());
			if (document == null || !isOwned(document, lease) || !document.end().isAfter(this.store.now())) {
				return false;
			}
			if (this.store.replace(lease.key(), document, change.apply(document))) {
				return true;
			}
		}
	}

	private static boolean isOwned(Document document, LeaseRequest lease) {
		return document.owner().equals(lease.owner().toString());
	}

}
