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

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.EngineObserver;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.engine.LockKind;
import io.github.lockspring.engine.LockNames;

/**
 * Records the use of locks in meters, which are tagged with the name, the backend and the
 * type of the lock, and optionally in observations, which can result in spans. If
 * observations are recorded, they produce the meters {@code lock.acquire} and
 * {@code lock.hold}.
 * <p>
 * The meters of exclusive locks are registered as soon as the name is known, those of
 * locks without a name at the beginning. The meters of other types are registered when
 * such a lock is acquired for the first time.
 * <p>
 * Thread-safe.
 */
public final class LockMetrics {

	private static final Log logger = LogFactory.getLog(LockMetrics.class);

	private static final LockObservationConvention DEFAULT = new LockObservationConvention() {
	};

	private final MeterRegistry registry;

	private final @Nullable Function<LockObservationContext, Observation> observations;

	/**
	 * Create metrics.
	 * @param registry the registry of the meters
	 * @param observations the registry of the observations, or {@code null} to record
	 * only meters, which takes less time
	 * @param convention the convention of the observations, or {@code null} for the
	 * default
	 */
	public LockMetrics(MeterRegistry registry, @Nullable ObservationRegistry observations,
			@Nullable LockObservationConvention convention) {
		this.registry = registry;
		this.observations = (observations != null)
				? (context) -> Observation.start(convention, DEFAULT, () -> context, observations) : null;
	}

	/**
	 * Start to record the use of locks.
	 * @param engines the engines of all backends
	 */
	public void observe(LockEngines engines) {
		engines.all().forEach((engine) -> observe(engine, engines.lockNames()));
	}

	private void observe(LockEngine engine, LockNames names) {
		Observer observer = new Observer(engine.backendName(), names);
		observer.register(LockNames.NONE);
		names.onRegistered(observer::register);
		engine.addObserver(observer);
	}

	/**
	 * {@link EngineObserver} of the locks of one backend.
	 */
	private final class Observer implements EngineObserver {

		private final String backend;

		private final LockNames names;

		/**
		 * Meters by name, for each kind.
		 */
		private final List<ConcurrentMap<String, LockMeters>> meters = Arrays.stream(LockKind.values())
			.<ConcurrentMap<String, LockMeters>>map((kind) -> new ConcurrentHashMap<>())
			.toList();

		Observer(String backend, LockNames names) {
			this.backend = backend;
			this.names = names;
		}

		/**
		 * Register the meters of a name. A registry that fails does not affect the use of
		 * the name.
		 */
		void register(String name) {
			try {
				meters(name, LockKind.EXCLUSIVE);
			}
			catch (Throwable ex) {
				logger.warn("Could not register the meters of locks", ex);
			}
		}

		private LockMeters metersOf(String key, LockKind kind) {
			return meters(this.names.nameOf(key), kind);
		}

		private LockMeters meters(String name, LockKind kind) {
			ConcurrentMap<String, LockMeters> known = this.meters.get(kind.ordinal());
			LockMeters meters = known.get(name);
			return (meters != null) ? meters : known.computeIfAbsent(name,
					(key) -> create(new LockTags(key, this.backend, kind.name().toLowerCase(Locale.ROOT))));
		}

		private LockMeters create(LockTags tags) {
			LockMeters meters = new LockMeters(LockMetrics.this.registry, tags);
			return (LockMetrics.this.observations == null) ? meters.withTimers() : meters;
		}

		@Override
		public LockObservation onAcquire(String key, LockKind kind) {
			LockMeters meters = metersOf(key, kind);
			Function<LockObservationContext, Observation> observations = LockMetrics.this.observations;
			return (observations != null) ? start(key, meters, observations) : meters;
		}

		/**
		 * Start an observation, or only update the meters if an observation handler
		 * fails.
		 */
		private LockObservation start(String key, LockMeters meters,
				Function<LockObservationContext, Observation> observations) {
			try {
				return new ObservedAcquisition(key, meters, observations);
			}
			catch (Throwable ex) {
				logger.warn("Could not start the observation of a lock", ex);
				return meters;
			}
		}

		@Override
		public void onLost(String key, LockKind kind) {
			metersOf(key, kind).countLost();
		}

		@Override
		public void onHandOff(String key, LockKind kind) {
			metersOf(key, kind).countHandOff();
		}

		@Override
		public void onRenewed(String key, LockKind kind, long marginNanos) {
			metersOf(key, kind).countRenewed(marginNanos);
		}

		@Override
		public void onRenewalFailed(String key, LockKind kind) {
			metersOf(key, kind).countNotRenewed();
		}

	}

}
