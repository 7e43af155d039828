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
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.TimeSource;

/**
 * Claim of a thread on permits of one key that this process holds, and that the thread is
 * about to release.
 * <ol>
 * <li>Permits that were acquired by the thread itself are claimed first, then those that
 * were lost, and those of other threads last. Thus, a thread that releases what it has
 * acquired never releases the permits of another one that still works.</li>
 * <li>Among these, a lease of exactly as many permits is preferred, then whole leases. At
 * most one lease is divided.</li>
 * <li>If there are enough permits only together with the rest of a lease that another
 * thread is just dividing, nothing is claimed until that is done.</li>
 * </ol>
 * The permits are released without the monitor of the queue.
 */
final class PermitClaim {

	private final List<Share> whole = new ArrayList<>(1);

	private @Nullable Share part;

	private int missing;

	private @Nullable CompletableFuture<@Nullable Void> pending;

	private PermitClaim(int permits) {
		this.missing = permits;
	}

	/**
	 * Claim permits. The caller owns the monitor of the queue.
	 * @param holders the first holder of the key
	 * @param permits the number of permits
	 * @return the claim, or {@code null} if this process holds fewer permits
	 */
	static @Nullable PermitClaim of(@Nullable Hold holders, int permits, TimeSource time) {
		PermitClaim own = ofOwn(holders, permits);
		return (own != null) ? own : ofAny(holders, permits, time);
	}

	/**
	 * Claim a whole lease of the current thread, which is the usual case.
	 */
	private static @Nullable PermitClaim ofOwn(@Nullable Hold holders, int permits) {
		for (Hold hold = holders; hold != null; hold = hold.next) {
			if (hold.owner() instanceof PermitOwner owner && owner.permits() == permits && owner.division() == null
					&& owner.isAcquiredBy(Thread.currentThread())) {
				PermitClaim claim = new PermitClaim(permits);
				claim.whole.add(claim.share(hold, permits));
				return claim;
			}
		}
		return null;
	}

	private static @Nullable PermitClaim ofAny(@Nullable Hold holders, int permits, TimeSource time) {
		List<Hold> own = new ArrayList<>();
		List<Hold> lost = new ArrayList<>();
		List<Hold> others = new ArrayList<>();
		PermitClaim claim = new PermitClaim(permits);
		long dividing = 0;
		for (Hold hold = holders; hold != null; hold = hold.next) {
			if (hold.owner() instanceof PermitOwner owner && owner.permits() > 0) {
				if (owner.division() != null) {
					claim.pending = owner.division();
					dividing += owner.permits();
				}
				else if (owner.isAcquiredBy(Thread.currentThread())) {
					own.add(hold);
				}
				else {
					(isLost(hold, time) ? lost : others).add(hold);
				}
			}
		}
		long free = sum(own) + sum(lost) + sum(others);
		if (free >= permits) {
			claim.pending = null;
			claim.take(own);
			claim.take(lost);
			claim.take(others);
		}
		return (free + dividing >= permits) ? claim : null;
	}

	private static boolean isLost(Hold hold, TimeSource time) {
		return hold.isLost() || hold.lease().isExpired(time);
	}

	private static long sum(List<Hold> holds) {
		return holds.stream().mapToLong(PermitClaim::permits).sum();
	}

	private static int permits(Hold hold) {
		return owner(hold).permits();
	}

	private static PermitOwner owner(Hold hold) {
		return (PermitOwner) hold.owner();
	}

	private void take(List<Hold> holds) {
		holds.sort((one, other) -> Boolean.compare(isFitting(other), isFitting(one)));
		Hold larger = null;
		for (Hold hold : holds) {
			if (permits(hold) <= this.missing) {
				this.whole.add(share(hold, permits(hold)));
			}
			else {
				larger = hold;
			}
		}
		if (this.missing > 0 && larger != null) {
			this.part = share(larger, this.missing);
			owner(larger).setDivision(new CompletableFuture<>());
		}
	}

	private boolean isFitting(Hold hold) {
		return permits(hold) == this.missing;
	}

	private Share share(Hold hold, int permits) {
		owner(hold).add(-permits);
		this.missing -= permits;
		return new Share(hold, permits);
	}

	/**
	 * Return what to wait for before permits can be claimed, or {@code null} if they are.
	 */
	@Nullable CompletableFuture<@Nullable Void> pending() {
		return this.pending;
	}

	/**
	 * Release the permits: first the part of a lease, because nothing is released if that
	 * fails.
	 * @return {@code false} if one of the leases was lost
	 * @throws EngineException if the store failed, and no permit was released
	 */
	boolean release() {
		boolean held = this.part == null || releasePart(this.part);
		return releaseWhole() && held;
	}

	private boolean releasePart(Share part) {
		boolean released = false;
		try {
			// a lease that was lost has lost all of its permits
			boolean held = part.hold().hasLease() && part.hold().releasePermits(part.permits());
			released = true;
			return held;
		}
		finally {
			if (!released) {
				part.undo();
				this.whole.forEach(Share::undo);
			}
			part.endDivision();
		}
	}

	private boolean releaseWhole() {
		if (this.whole.size() == 1) {
			return this.whole.get(0).hold().release();
		}
		return Hold.releaseAll(this.whole.stream().map(Share::hold).toList()).isEmpty();
	}

	/**
	 * Claimed permits of one lease.
	 *
	 * @param hold the hold
	 * @param permits the number of permits, all of those of the lease or a part of them
	 */
	private record Share(Hold hold, int permits) {

		void undo() {
			synchronized (this.hold.queue()) {
				owner(this.hold).add(this.permits);
			}
		}

		void endDivision() {
			CompletableFuture<@Nullable Void> division;
			synchronized (this.hold.queue()) {
				division = owner(this.hold).division();
				owner(this.hold).setDivision(null);
			}
			if (division != null) {
				division.complete(null);
			}
		}

	}

}
