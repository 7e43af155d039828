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

package io.github.lockspring.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.context.ApplicationEventPublisher;

import io.github.lockspring.actuate.LocksDescriptors.Holder;
import io.github.lockspring.actuate.LocksDescriptors.KeyState;
import io.github.lockspring.actuate.LocksDescriptors.Lock;
import io.github.lockspring.actuate.LocksDescriptors.Locks;
import io.github.lockspring.actuate.LocksDescriptors.Queued;
import io.github.lockspring.actuate.LocksDescriptors.Release;
import io.github.lockspring.actuate.LocksDescriptors.Released;
import io.github.lockspring.actuate.LocksDescriptors.Waiting;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.event.LockForceReleasedEvent;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseWaiter;
import io.github.lockspring.spi.ProcessName;
import io.github.lockspring.support.Deadline;
import io.github.lockspring.support.Durations;
import io.github.lockspring.support.KeyFormat;

/**
 * {@link Endpoint @Endpoint} to expose the locks that this process holds and waits for,
 * and the holders of single keys in the stores. If access is unrestricted, it can also
 * release a key for its holders.
 * <p>
 * The stores are called in other threads, in parallel. A response takes no longer than
 * the timeout of a call to a store plus 250 ms, or twice that for a release, also if a
 * store hangs. A store that fails is reported in the response.
 * <p>
 * The bean also exists if the endpoint is not exposed, for calls in code. Thread-safe.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public class LocksEndpoint {

	/**
	 * Type of the audit event of a forced release.
	 */
	static final String AUDIT_TYPE = "LOCK_FORCE_RELEASED";

	private static final Log logger = LogFactory.getLog(LocksEndpoint.class);

	private static final Duration SLACK = Duration.ofMillis(250);

	private final LockEngines engines;

	private final Duration timeout;

	private final ApplicationEventPublisher publisher;

	/**
	 * Create an endpoint.
	 * @param engines the engines of the application
	 * @param operationTimeout the timeout of a single call to a store
	 * @param publisher the publisher of events about forced releases
	 */
	public LocksEndpoint(LockEngines engines, Duration operationTimeout, ApplicationEventPublisher publisher) {
		this.engines = engines;
		this.publisher = publisher;
		this.timeout = Durations.cap(operationTimeout).plus(SLACK);
	}

	/**
	 * Return the locks that this process holds and waits for. Does not access a store.
	 * @return the locks
	 */
	@ReadOperation
	public Locks locks() {
		Map<String, LocksDescriptors.Backend> backends = new LinkedHashMap<>();
		this.engines.all()
			.forEach((engine) -> backends.put(engine.backendName(),
					LocksDescriptors.Backend.of(engine, this.engines.lockNames())));
		ProcessName process = this.engines.defaultEngine().inspection().processName();
		return new Locks(process.application(), process.host(), process.pid(), backends);
	}

	/**
	 * Return the holders of a key in the stores, and the acquisitions of this process
	 * that wait for it.
	 * @param key the key, as used in the store
	 * @param backend the name of the only backend to inspect, or {@code null} for all
	 * @return the lock, without the backends on which it is neither held nor waited for
	 * @throws InvalidEndpointRequestException if there is no such backend, or if the key
	 * is blank
	 */
	public Lock lock(String key, @Nullable String backend) {
		Map<LockEngine, CompletableFuture<StoredState>> calls = new LinkedHashMap<>();
		engines(key, backend).forEach((engine) -> calls.put(engine,
				engine.inspection()
					.holdersAsync(key)
					.thenCombine(engine.inspection().queueAsync(key), StoredState::new)));
		long deadline = Deadline.after(this.timeout);
		Map<String, KeyState> states = new LinkedHashMap<>();
		calls.forEach((engine, call) -> {
			KeyState state = stateOf(engine, call, waiting(key, engine), deadline);
			if (state.isFound() || state.error() != null) {
				states.put(engine.backendName(), state);
			}
		});
		return new Lock(this.engines.lockNames().nameOf(key), key, states);
	}

	/**
	 * Release a key for its holders, of any process, as the operations of the web and of
	 * JMX do. Their access is configured; who calls this method has to be permitted to by
	 * the application.
	 * @param key the key, as used in the store
	 * @param backend the name of the only backend, or {@code null} for all
	 * @param owner the only owner to release, or {@code null} for all
	 * @param token the only fencing token to release, or {@code null} for all
	 * @param principal the name of the operator, or {@code null} if it is unknown
	 * @return the released holders, without the backends where no holder was released
	 * @throws InvalidEndpointRequestException if there is no such backend, or if the key
	 * is blank
	 */
	public Release release(String key, @Nullable String backend, @Nullable String owner, @Nullable Long token,
			@Nullable String principal) {
		Predicate<LeaseHolder> wanted = (holder) -> (owner == null || owner.equals(holder.owner()))
				&& (token == null || token == holder.token());
		Map<LockEngine, CompletableFuture<Map<LeaseHolder, CompletableFuture<Boolean>>>> calls = new LinkedHashMap<>();
		long deadline = Deadline.after(this.timeout.multipliedBy(2));
		engines(key, backend)
			.forEach((engine) -> calls.put(engine,
					engine.inspection()
						.holdersAsync(key)
						.thenApply((holders) -> (Deadline.remainingNanos(deadline) > 0)
								? releases(key, engine, holders.stream().filter(wanted).toList(), principal)
								: Map.of())));
		Map<String, Released> results = new LinkedHashMap<>();
		calls.forEach((engine, call) -> {
			Released released = released(engine, call, deadline);
			if (!released.released().isEmpty() || released.error() != null) {
				results.put(engine.backendName(), released);
			}
		});
		return new Release(key, results);
	}

	private Map<LeaseHolder, CompletableFuture<Boolean>> releases(String key, LockEngine engine,
			List<LeaseHolder> holders, @Nullable String principal) {
		Map<LeaseHolder, CompletableFuture<Boolean>> releases = new LinkedHashMap<>();
		holders.forEach((holder) -> releases.put(holder, release(key, engine, holder, principal)));
		return releases;
	}

	private Released released(LockEngine engine,
			CompletableFuture<Map<LeaseHolder, CompletableFuture<Boolean>>> releases, long deadline) {
		List<Holder> released = new ArrayList<>();
		try {
			for (Map.Entry<LeaseHolder, CompletableFuture<Boolean>> release : await(releases, deadline).entrySet()) {
				if (await(release.getValue(), deadline)) {
					released.add(Holder.of(release.getKey(), engine));
				}
			}
			return new Released(released, null);
		}
		catch (ExecutionException ex) {
			return new Released(released, reasonOf(ex));
		}
	}

	/**
	 * Release a single holder. An event is published even if the store responds after the
	 * timeout.
	 */
	private CompletableFuture<Boolean> release(String key, LockEngine engine, LeaseHolder holder,
			@Nullable String principal) {
		return engine.inspection().forceReleaseAsync(key, holder).whenComplete((released, failure) -> {
			if (failure == null && released) {
				publish(new LockForceReleasedEvent(key, engine.backendName(), holder.owner(), holder.process(),
						holder.token(), principal));
			}
		});
	}

	private void publish(LockForceReleasedEvent event) {
		publish(event, event.storeKey());
		publish(new AuditApplicationEvent(Objects.requireNonNullElse(event.principal(), ""), AUDIT_TYPE,
				Map.of("key", event.storeKey(), "backend", event.backend(), "owner", event.owner(), "process",
						String.valueOf(event.process()))),
				event.storeKey());
	}

	/**
	 * Publish an event. A listener that fails affects neither the other event nor the
	 * response.
	 */
	private void publish(Object event, String key) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (Throwable ex) {
			logger.warn("Listener of the forced release of the lock on " + KeyFormat.quote(key) + " failed", ex);
		}
	}

	private Collection<LockEngine> engines(String key, @Nullable String backend) {
		require(!key.isBlank(), "The key of a lock must not be blank");
		require(backend == null || this.engines.names().contains(backend),
				"There is no lock backend named '" + backend + "'");
		return (backend != null) ? List.of(this.engines.require(backend)) : this.engines.all();
	}

	private static void require(boolean condition, String message) {
		if (!condition) {
			throw new InvalidEndpointRequestException(message, message);
		}
	}

	private List<Waiting> waiting(String key, LockEngine engine) {
		return engine.inspection()
			.snapshot()
			.waiting()
			.stream()
			.filter((waiter) -> waiter.key().equals(key))
			.map((waiter) -> Waiting.of(waiter, this.engines.lockNames()))
			.toList();
	}

	private KeyState stateOf(LockEngine engine, CompletableFuture<StoredState> call, List<Waiting> waiting,
			long deadline) {
		try {
			StoredState state = await(call, deadline);
			return new KeyState(state.holders().stream().map((holder) -> Holder.of(holder, engine)).toList(),
					state.queue().stream().map((waiter) -> Queued.of(waiter, engine)).toList(), waiting, null);
		}
		catch (ExecutionException ex) {
			return new KeyState(List.of(), List.of(), waiting, reasonOf(ex));
		}
	}

	private <T> T await(CompletableFuture<T> call, long deadline) throws ExecutionException {
		try {
			return call.get(Deadline.remainingNanos(deadline), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw new ExecutionException(new IllegalStateException("No response within " + this.timeout));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new ExecutionException(new IllegalStateException("Interrupted"));
		}
	}

	private static String reasonOf(ExecutionException failure) {
		StringBuilder reason = new StringBuilder();
		for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
			if (cause.getMessage() != null && reason.indexOf(cause.getMessage()) < 0) {
				reason.append(reason.isEmpty() ? "" : ": ").append(cause.getMessage());
			}
		}
		return reason.isEmpty() ? String.valueOf(failure.getCause()) : reason.toString();
	}

	/**
	 * State of a key in a store.
	 *
	 * @param holders the holders
	 * @param queue the owners that wait
	 */
	private record StoredState(List<LeaseHolder> holders, List<LeaseWaiter> queue) {
	}

}
