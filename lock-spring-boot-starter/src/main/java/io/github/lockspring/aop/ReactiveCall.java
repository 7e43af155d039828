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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.github.lockspring.DistributedLock.OnLost;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockException;
import io.github.lockspring.LockHandle;
import io.github.lockspring.LockLostException;
import io.github.lockspring.LockNotAcquiredException;
import io.github.lockspring.LockUnavailableException;

/**
 * One subscription to the result of a method.
 * <ol>
 * <li>Acquire one lock after the other, without a thread that waits.</li>
 * <li>Call the method and subscribe to its stream, with the locks in the context.</li>
 * <li>When the stream has completed, failed or was cancelled, give the locks back, and
 * then pass the end on.</li>
 * </ol>
 */
final class ReactiveCall {

	private final LockedMethod method;

	private final MethodInvocation invocation;

	private final List<LockClaim> claims;

	ReactiveCall(LockedMethod method, MethodInvocation invocation, List<LockClaim> claims) {
		this.method = method;
		this.invocation = invocation;
		this.claims = claims;
	}

	Publisher<?> runUnder(int index, @Nullable LockContext outer) {
		if (index == this.claims.size()) {
			return run(outer);
		}
		LockClaim claim = this.claims.get(index);
		Mono<Object> attempt = acquire(claim, outer).cast(Object.class)
			.onErrorResume(ReactiveCall::isForPolicy, Mono::just);
		return using(attempt, (outcome) -> (outcome instanceof LockHandle lock) ? held(claim, lock, index, outer)
				: denied(claim, (LockException) outcome), claim.attributes().onLost());
	}

	private static boolean isForPolicy(Throwable failure) {
		return failure instanceof LockNotAcquiredException || failure instanceof LockUnavailableException;
	}

	private static Mono<LockHandle> acquire(LockClaim claim, @Nullable LockContext outer) {
		return Mono.<LockHandle>create((sink) -> {
			CompletableFuture<LockHandle> acquired = claim.acquireAsync(outer);
			sink.onCancel(() -> acquired.cancel(true));
			acquired.whenComplete((lock, failure) -> {
				if (failure != null) {
					sink.error(Invocations.reasonOf(failure));
				}
				else {
					sink.success(lock);
				}
			});
		}).doOnDiscard(LockHandle.class, LockHandle::closeAsync);
	}

	private Publisher<?> using(Mono<Object> attempt, Function<Object, Publisher<?>> body, OnLost onLost) {
		Function<Object, Publisher<?>> release = (outcome) -> release(outcome, onLost);
		BiFunction<Object, Throwable, Publisher<?>> releaseAfter = (outcome, failure) -> release(outcome, onLost)
			.onErrorResume(LockLostException.class, (loss) -> {
				failure.addSuppressed((loss != failure) ? loss : new LockLostException(loss.getKey()));
				return Mono.empty();
			});
		return this.method.returnType().isSeveral() ? Flux.usingWhen(attempt, body, release, releaseAfter, release)
				: Mono.usingWhen(attempt, (outcome) -> Mono.from(body.apply(outcome)), release, releaseAfter, release);
	}

	private static Mono<Void> release(Object outcome, OnLost onLost) {
		if (!(outcome instanceof LockHandle lock)) {
			return Mono.empty();
		}
		Mono<Void> released = Mono.fromFuture(lock::closeAsync, true);
		return (onLost != OnLost.REPORT) ? released
				: released.onErrorResume(LockLostException.class, (loss) -> Mono.empty());
	}

	private Publisher<?> denied(LockClaim claim, LockException failure) {
		try {
			return ReactiveCalls.publisherOf(claim.attributes().failurePolicy().resultOf(this.invocation, failure));
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	private Publisher<?> held(LockClaim claim, LockHandle lock, int index, @Nullable LockContext outer) {
		if (this.method.isOffered(claim.lock())) {
			this.method.offer(lock, this.invocation);
		}
		Publisher<?> stream = runUnder(index + 1, new LockContext(claim.name(), lock, outer));
		return (claim.attributes().onLost() == OnLost.INTERRUPT) ? cancelledOnLoss(stream, lock) : stream;
	}

	private Publisher<?> cancelledOnLoss(Publisher<?> stream, LockHandle lock) {
		Mono<Object> loss = Mono.create((sink) -> lock.onLost(() -> sink.error(new LockLostException(lock.key()))));
		return this.method.returnType().isSeveral() ? Flux.from(stream).takeUntilOther(loss)
				: Mono.from(stream).takeUntilOther(loss);
	}

	private Publisher<?> run(@Nullable LockContext context) {
		LockContext before = LockContext.get();
		LockContext.set(context);
		try {
			Publisher<?> stream = ReactiveCalls.publisherOf(this.invocation.proceed());
			return (context != null) ? inContext(stream, context) : stream;
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
		finally {
			LockContext.set(before);
		}
	}

	private Publisher<?> inContext(Publisher<?> stream, LockContext locks) {
		return this.method.returnType().isSeveral()
				? Flux.from(stream).contextWrite((context) -> context.put(LockContext.class, locks))
				: Mono.from(stream).contextWrite((context) -> context.put(LockContext.class, locks));
	}

}
