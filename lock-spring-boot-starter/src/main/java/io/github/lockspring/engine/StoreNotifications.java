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

import java.time.Duration;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.Value;

/**
 * Notifications from the store, passed to those who wait for them.
 */
final class StoreNotifications implements BackendListener {

	private static final Log logger = LogFactory.getLog(StoreNotifications.class);

	private final EngineContext context;

	private final RenewalPlan plan;

	private final LossHandler lossHandler;

	private final Values values;

	private final RetainedLeases retainedLeases;

	StoreNotifications(EngineContext context, RenewalPlan plan, LossHandler lossHandler, Values values,
			RetainedLeases retainedLeases) {
		this.context = context;
		this.plan = plan;
		this.lossHandler = lossHandler;
		this.values = values;
		this.retainedLeases = retainedLeases;
	}

	@Override
	public void onRetryHint(LeaseRequest request) {
		this.context.queues().signal(request, Notification.Hint.RETRY);
	}

	@Override
	public boolean onGranted(LeaseRequest request, Grant grant, long attemptId, Duration waited) {
		return this.context.queues().signal(request, new Notification.Granted(request, grant, attemptId, waited))
				|| this.context.queues().holderOf(request) != null;
	}

	@Override
	public void onRecall(LeaseRequest lease) {
		this.retainedLeases.recall(lease);
	}

	@Override
	public void onRecallsMissed() {
		this.retainedLeases.releaseAll();
	}

	@Override
	public void onLost(LeaseRequest lease) {
		this.lossHandler.lose(lease, "it was ended by the store");
	}

	@Override
	public void onSuspended() {
		this.lossHandler.suspend();
	}

	@Override
	public void onResumed() {
		this.lossHandler.resume();
	}

	@Override
	public void onValueChanged(String key) {
		this.values.watches().onChanged(key);
	}

	@Override
	public void onValueChanged(String key, Value value, long version) {
		this.values.watches().onChanged(key, value, version);
	}

	@Override
	public void onFailedOver() {
		this.plan.renewAll();
		this.context.stateChanged();
		logger.info("Lock backend '" + this.context.store().name()
				+ "' failed over to another server; renewing all locks there");
	}

}
