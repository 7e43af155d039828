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

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.AcquireOutcome;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineObserver.LockObservation;

/**
 * Meters of the locks of one name, backend and type. As an observation of an acquisition
 * of such a lock, it only updates the meters.
 * <p>
 * Thread-safe.
 */
final class LockMeters implements LockObservation {

	private static final String OUTCOME = "outcome";

	private static final String ERROR = "error";

	private static final String NONE = "none";

	private final MeterRegistry registry;

	private final LockTags tags;

	private final Tags meterTags;

	private final LongAdder held = new LongAdder();

	private final LongAdder waiting = new LongAdder();

	private final Counter contended;

	private final Counter timeouts;

	private final Counter denied;

	private final Counter unavailable;

	private final Counter lost;

	private final Counter handOffs;

	private final Counter renewed;

	private final Counter notRenewed;

	private final Timer renewalMargin;

	private final Timer release;

	/**
	 * Timers by outcome. Elements are {@code null} until they are used, or always if
	 * observations record them.
	 */
	private final @Nullable Timer[] acquire = new Timer[AcquireOutcome.values().length];

	private @Nullable Timer released;

	/**
	 * Create and register the meters.
	 */
	LockMeters(MeterRegistry registry, LockTags tags) {
		this.registry = registry;
		this.tags = tags;
		this.meterTags = Tags.of("name", tags.name(), "backend", tags.backend(), "type", tags.type());
		this.contended = counter("lock.contended", "Acquisitions that were not granted immediately");
		this.timeouts = counter("lock.timeouts", "Acquisitions that timed out");
		this.denied = counter("lock.denied", "Acquisitions without a wait time that were denied");
		this.unavailable = counter("lock.unavailable", "Acquisitions that failed because of the store");
		this.lost = counter("lock.lost", "Locks that were lost while they were held");
		this.handOffs = counter("lock.handoffs", "Leases handed off inside this process");
		this.renewed = counter("lock.renewals", "Renewals of leases", OUTCOME, "success");
		this.notRenewed = counter("lock.renewals", "Renewals of leases", OUTCOME, "failure");
		this.renewalMargin = timer("lock.renewal.margin", "Remaining time of leases when they are renewed");
		this.release = timer("lock.release", "Duration of releases");
		gauge("lock.held", "Locks that are held", this.held);
		gauge("lock.waiting", "Acquisitions that wait for another owner", this.waiting);
	}

	/**
	 * Register the timers that are otherwise registered by observations.
	 */
	LockMeters withTimers() {
		for (AcquireOutcome outcome : AcquireOutcome.values()) {
			if (!hasError(outcome)) {
				this.acquire[outcome.ordinal()] = acquireTimer(outcome, NONE);
			}
		}
		this.released = holdTimer("released");
		holdTimer("lost");
		return this;
	}

	private Counter counter(String name, String description, String... tags) {
		return Counter.builder(name).description(description).tags(this.meterTags.and(tags)).register(this.registry);
	}

	private Timer timer(String name, String description, String... tags) {
		return Timer.builder(name).description(description).tags(this.meterTags.and(tags)).register(this.registry);
	}

	private void gauge(String name, String description, LongAdder value) {
		Gauge.builder(name, value, LongAdder::sum)
			.description(description)
			.tags(this.meterTags)
			.strongReference(true)
			.register(this.registry);
	}

	private Timer acquireTimer(AcquireOutcome outcome, String error) {
		return timer("lock.acquire", "Duration of acquisitions, successful or not", OUTCOME, nameOf(outcome), ERROR,
				error);
	}

	private Timer holdTimer(String outcome) {
		return timer("lock.hold", "Time for which locks are held", OUTCOME, outcome, ERROR, NONE);
	}

	LockTags tags() {
		return this.tags;
	}

	/**
	 * Return the value of the tag {@code outcome}.
	 */
	static String nameOf(AcquireOutcome outcome) {
		return outcome.name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return whether the tag {@code error} is the class of an exception.
	 */
	static boolean hasError(AcquireOutcome outcome) {
		return outcome == AcquireOutcome.UNAVAILABLE || outcome == AcquireOutcome.ERROR;
	}

	/**
	 * Return the exception of the store, or of the application.
	 */
	static Throwable errorOf(Throwable failure) {
		Throwable cause = failure.getCause();
		return (failure instanceof EngineException && cause != null) ? cause : failure;
	}

	@Override
	public void onContended() {
		this.waiting.increment();
		this.contended.increment();
	}

	@Override
	public void onWaited() {
		this.waiting.decrement();
	}

	@Override
	public void onAcquired(long token, long waitedNanos) {
		countAcquired();
		recordAcquire(AcquireOutcome.ACQUIRED, null, waitedNanos);
	}

	void countAcquired() {
		this.held.increment();
	}

	@Override
	public void onNotAcquired(AcquireOutcome outcome, @Nullable Throwable failure, long waitedNanos) {
		countNotAcquired(outcome);
		recordAcquire(outcome, failure, waitedNanos);
	}

	void countNotAcquired(AcquireOutcome outcome) {
		switch (outcome) {
			case TIMEOUT -> this.timeouts.increment();
			case DENIED -> this.denied.increment();
			case UNAVAILABLE -> this.unavailable.increment();
			default -> {
			}
		}
	}

	void recordAcquire(AcquireOutcome outcome, @Nullable Throwable failure, long nanos) {
		Timer timer = this.acquire[outcome.ordinal()];
		if (timer == null) {
			timer = acquireTimer(outcome,
					(failure != null && hasError(outcome)) ? errorOf(failure).getClass().getSimpleName() : NONE);
		}
		timer.record(nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void onReleased(long heldNanos, long releaseNanos) {
		countReleased(releaseNanos);
		recordReleased(heldNanos);
	}

	void countReleased(long releaseNanos) {
		this.held.decrement();
		this.release.record(releaseNanos, TimeUnit.NANOSECONDS);
	}

	void recordReleased(long heldNanos) {
		Timer timer = this.released;
		((timer != null) ? timer : holdTimer("released")).record(heldNanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void onLost(long heldNanos) {
		countEnded();
		recordLost(heldNanos);
	}

	void countEnded() {
		this.held.decrement();
	}

	void recordLost(long heldNanos) {
		holdTimer("lost").record(heldNanos, TimeUnit.NANOSECONDS);
	}

	void countLost() {
		this.lost.increment();
	}

	void countHandOff() {
		this.handOffs.increment();
	}

	void countRenewed(long marginNanos) {
		this.renewed.increment();
		this.renewalMargin.record(marginNanos, TimeUnit.NANOSECONDS);
	}

	void countNotRenewed() {
		this.notRenewed.increment();
	}

}
