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

import java.util.Set;

import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Renewal;

/**
 * Renews leases that are not renewed automatically, when their holders request it.
 * <ol>
 * <li>The store renews the lease for the new lease time, if it still exists. Until the
 * store has answered, and if its answer is lost, the lease ends when it would have ended
 * before, or with the new lease time if that is sooner.</li>
 * <li>The options of the hold are replaced: the lease time and the minimum hold time
 * begin anew.</li>
 * <li>The lease is watched anew.</li>
 * </ol>
 */
final class LeaseExtender {

	private final EngineContext context;

	private final Store store;

	private final RenewalPlan plan;

	private final LossHandler lossHandler;

	LeaseExtender(EngineContext context, RenewalPlan plan, LossHandler lossHandler) {
		this.context = context;
		this.store = context.store();
		this.plan = plan;
		this.lossHandler = lossHandler;
	}

	boolean extend(Hold hold, AcquireOptions wanted) {
		if (!hold.isHeld() || hold.options().isAutoRenew()) {
			return hold.isHeld();
		}
		AcquireOptions options = wanted.capLeaseTime(this.store.maxLeaseTime());
		Lease lease = hold.lease();
		if (lease.request().keys().size() > 1) {
			throw new EngineException(EngineException.Reason.UNSUPPORTED,
					"A lease of several keys cannot be extended for one of them", null);
		}
		try {
			if (renew(lease, options)) {
				hold.setOptions(options);
			}
			else {
				this.lossHandler.lose(lease.request(), "it no longer exists in the store");
			}
		}
		finally {
			lease.setWatch(null);
			this.plan.watch(hold);
		}
		return hold.isHeld();
	}

	private boolean renew(Lease lease, AcquireOptions options) {
		LeaseRequest request = lease.request().withLeaseTime(options.leaseTime());
		long sentMillis = this.context.time().currentTimeMillis();
		long sentNanos = this.context.time().nanoTime();
		lease.endWithin(options.leaseTime(), sentNanos, sentMillis);
		if (!this.store.orUnavailable(() -> renew(request))) {
			return false;
		}
		lease.extended(request, this.store.leaseNanos(request), sentNanos, sentMillis);
		return true;
	}

	private boolean renew(LeaseRequest request) {
		Renewal renewal = this.store.renew(Set.of(request), this.context.settings().operationTimeout());
		if (!renewal.held().contains(request) && !renewal.lost().contains(request)) {
			throw new OutcomeUnknownException("The lease may or may not have been renewed", null);
		}
		return renewal.held().contains(request);
	}

}
