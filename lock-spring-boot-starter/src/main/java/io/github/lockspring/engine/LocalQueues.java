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

package io.github.lockspring.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseRequest;

/**
 * Local queues of all keys that are held or waited for in this process. A queue is
 * created for its first hold and removed when the last one leaves.
 */
final class LocalQueues {

	private final ConcurrentMap<String, LocalQueue> queues = new ConcurrentHashMap<>();

	private final int limit;

	LocalQueues(int limit) {
		this.limit = limit;
	}

	/**
	 * Add a hold to the queue of its key.
	 * @param hold the hold
	 * @param mayWait whether it may wait in the queue
	 * @param suitable whether the lease of a holder is suitable
	 * @return the next step of the hold
	 */
	LocalQueue.Turn join(Hold hold, boolean mayWait, BiPredicate<Hold, AcquireOptions> suitable) {
		String key = hold.key();
		while (true) {
			LocalQueue queue = this.queues.get(key);
			if (queue == null) {
				if (this.queues.size() >= this.limit) {
					throw limitException();
				}
				queue = this.queues.putIfAbsent(key, new LocalQueue(hold));
				if (queue == null) {
					return LocalQueue.Turn.CONTEND;
				}
			}
			LocalQueue.Turn turn = queue.enter(hold, mayWait, suitable);
			if (turn != LocalQueue.Turn.RETIRED) {
				return turn;
			}
			this.queues.remove(key, queue);
		}
	}

	/**
	 * Let a reader share the lease of another one.
	 * @return whether it is a holder now
	 */
	boolean share(Hold reader, BiPredicate<Hold, AcquireOptions> suitable) {
		LocalQueue queue = this.queues.get(reader.key());
		return queue != null && queue.share(reader, suitable);
	}

	private EngineException limitException() {
		return new EngineException(EngineException.Reason.LIMIT,
				"More than " + this.limit
						+ " keys are held or waited for at the same time in this process; release them earlier, or"
						+ " increase lock.max-keys",
				null);
	}

	/**
	 * Remove a hold that timed out or was cancelled, and promote the next one.
	 * @return {@code false} if it was granted in the meantime
	 */
	boolean leave(Hold hold) {
		LocalQueue queue = hold.queue();
		promoteNext(hold, queue, queue.leave(hold));
		return hold.isEnded();
	}

	/**
	 * Remove a hold whose lease is released in the store, or lost and discarded, and
	 * promote the next one.
	 */
	void end(Hold hold) {
		LocalQueue queue = hold.queue();
		promoteNext(hold, queue, queue.end(hold));
	}

	private void promoteNext(Hold gone, LocalQueue queue, @Nullable Hold next) {
		if (next != null) {
			next.wakeUp();
		}
		else if (queue.isRetired()) {
			this.queues.remove(gone.key(), queue);
		}
		queue.wakeAwaiting();
	}

	@Nullable LocalQueue get(String key) {
		return this.queues.get(key);
	}

	@Nullable Hold heldBy(String key, Object owner, AcquireOptions options) {
		LocalQueue queue = this.queues.get(key);
		return (queue != null) ? queue.heldBy(owner, options) : null;
	}

	/**
	 * Return whether an object is the queue of a key.
	 */
	boolean isQueueOf(Object object, String key) {
		return this.queues.get(key) == object;
	}

	/**
	 * Return the number of holds that contend or wait for a key.
	 */
	int waitingCount(String key) {
		LocalQueue queue = this.queues.get(key);
		return (queue != null) ? queue.waitingCount() : 0;
	}

	/**
	 * Find the hold that has a lease now, or is about to hand it off or release it. For a
	 * lease of several keys it is the hold of one of them.
	 */
	@Nullable Hold holderOf(LeaseRequest request) {
		Hold holder = null;
		for (LocalQueue queue : queuesOf(request)) {
			holder = (holder != null) ? holder : queue.holderOf(request);
		}
		return holder;
	}

	/**
	 * End a lease that has ended in the store, except for a reader for which it is just
	 * being downgraded.
	 * @param token the only token with which to end it, or {@code null} for every token
	 * @return the holds that have it, or are about to release it
	 */
	List<Hold> revoke(LeaseRequest request, @Nullable Long token) {
		return endLeases(request, (hold) -> hold.endLease(request, token));
	}

	/**
	 * Return the tokens of the holds of a key, by the owners of their leases.
	 */
	Map<String, Long> tokensOf(String key) {
		Map<String, Long> tokens = new HashMap<>();
		LocalQueue queue = this.queues.get(key);
		for (Hold hold = (queue != null) ? queue.holders() : null; hold != null; hold = hold.next) {
			if (hold.isActive()) {
				tokens.put(hold.lease().request().ownerText(), hold.token());
			}
		}
		return tokens;
	}

	/**
	 * End a lease that the store is just replacing by a weaker one, or has replaced
	 * another one by.
	 * @return the holds that have lost it, unless they continue under the other one
	 */
	List<Hold> revokeReplaced(LeaseRequest request) {
		return endLeases(request, (hold) -> hold.endIfReplaced(request));
	}

	private List<Hold> endLeases(LeaseRequest request, Predicate<Hold> end) {
		return queuesOf(request).stream().flatMap((queue) -> queue.endLeases(end).stream()).toList();
	}

	/**
	 * Find all holds that have a lease, or had it and have not ended yet.
	 */
	List<Hold> holdersOf(Lease lease) {
		List<Hold> all = new ArrayList<>();
		for (LocalQueue queue : queuesOf(lease.request())) {
			for (Hold hold = queue.holders(); hold != null; hold = hold.next) {
				if (hold.leaseOrNull() == lease) {
					all.add(hold);
				}
			}
		}
		return all;
	}

	/**
	 * Call an action for the holders of all keys, including those that are lost or about
	 * to end. Each of them may end meanwhile.
	 */
	void forEachHolder(Consumer<Hold> action) {
		for (LocalQueue queue : this.queues.values()) {
			for (Hold hold = queue.holders(); hold != null; hold = hold.next) {
				action.accept(hold);
			}
		}
	}

	private List<LocalQueue> queuesOf(LeaseRequest request) {
		return request.keys().stream().map(this.queues::get).filter(Objects::nonNull).toList();
	}

	/**
	 * Signal the hold that waits for the answer of the store to a request.
	 * @return {@code false} if there is no such hold
	 */
	boolean signal(LeaseRequest request, Notification notification) {
		LocalQueue queue = this.queues.get(request.key());
		Hold signalled = (queue != null) ? queue.signal(request, notification) : null;
		if (signalled != null) {
			signalled.wakeUp();
		}
		return signalled != null;
	}

	/**
	 * Record that a lease is recalled.
	 * @return the hold that has it, or will have it, or {@code null} if there is none
	 */
	@Nullable Hold recall(LeaseRequest request) {
		LocalQueue queue = this.queues.get(request.key());
		return (queue != null) ? queue.recall(request) : null;
	}

	Collection<LocalQueue> all() {
		return this.queues.values();
	}

	int size() {
		return this.queues.size();
	}

}
