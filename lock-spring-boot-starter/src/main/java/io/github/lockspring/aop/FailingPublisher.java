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

package io.github.lockspring.aop;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Stream that fails with any throwable thrown by its source or by its subscriber. Reactor
 * propagates virtual machine errors and linkage errors through all operators without a
 * terminal signal.
 */
final class FailingPublisher implements Publisher<Object> {

	private static final Log logger = LogFactory.getLog(FailingPublisher.class);

	private final Publisher<?> stream;

	FailingPublisher(Publisher<?> stream) {
		this.stream = stream;
	}

	@Override
	public void subscribe(Subscriber<? super Object> subscriber) {
		FailingSubscriber failing = new FailingSubscriber(Operators.toCoreSubscriber(subscriber));
		try {
			this.stream.subscribe(failing);
		}
		catch (Throwable ex) {
			failing.fail(ex);
		}
	}

	/**
	 * Subscriber between the stream and its downstream subscriber. Its signals are
	 * serialized, as those of all streams.
	 */
	private static final class FailingSubscriber implements CoreSubscriber<Object>, Subscription {

		private final CoreSubscriber<? super Object> subscriber;

		private volatile @Nullable Subscription subscription;

		private volatile boolean ended;

		private FailingSubscriber(CoreSubscriber<? super Object> subscriber) {
			this.subscriber = subscriber;
		}

		@Override
		public Context currentContext() {
			return this.subscriber.currentContext();
		}

		@Override
		public void onSubscribe(Subscription subscription) {
			this.subscription = subscription;
			this.subscriber.onSubscribe(this);
		}

		@Override
		public void onNext(Object element) {
			if (this.ended) {
				return;
			}
			try {
				this.subscriber.onNext(element);
			}
			catch (Throwable ex) {
				cancel();
				fail(ex);
			}
		}

		@Override
		public void onError(Throwable failure) {
			if (!this.ended) {
				this.ended = true;
				this.subscriber.onError(failure);
			}
		}

		@Override
		public void onComplete() {
			if (!this.ended) {
				this.ended = true;
				this.subscriber.onComplete();
			}
		}

		@Override
		public void request(long count) {
			Subscription subscription = this.subscription;
			if (subscription == null) {
				return;
			}
			try {
				subscription.request(count);
			}
			catch (Throwable ex) {
				cancel();
				fail(ex);
			}
		}

		@Override
		public void cancel() {
			Subscription subscription = this.subscription;
			if (subscription == null) {
				return;
			}
			try {
				subscription.cancel();
			}
			catch (Throwable ex) {
				logger.warn("Could not cancel the stream of a cancelled call; its lock is released", ex);
			}
		}

		void fail(Throwable failure) {
			if (this.subscription == null) {
				this.ended = true;
				Operators.error(this.subscriber, failure);
			}
			else {
				onError(failure);
			}
		}

	}

}
