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

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * Observations of locks.
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/**
	 * Acquisition of a lock, until it is acquired or not. Acquisitions of a lock that its
	 * owner holds already are not observed.
	 */
	ACQUIRE {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultLockAcquireObservationConvention.class;
		}

	},

	/**
	 * Time for which a lock is held, until it is released or lost.
	 */
	HOLD {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultLockHoldObservationConvention.class;
		}

	};

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return LowCardinalityKeyNames.values();
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return HighCardinalityKeyNames.values();
	}

	/**
	 * Keys with few values, which are tags of meters.
	 */
	public enum LowCardinalityKeyNames implements KeyName {

		/**
		 * Name of the lock, {@code none} for a lock without a name.
		 */
		NAME("name"),

		/**
		 * Name of the backend.
		 */
		BACKEND("backend"),

		/**
		 * Type of the lock: {@code exclusive}, {@code fair}, {@code read} or
		 * {@code semaphore}.
		 */
		TYPE("type"),

		/**
		 * Outcome of the observation.
		 */
		OUTCOME("outcome");

		private final String key;

		LowCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/**
	 * Keys with any number of values, which are used by spans and not by meters.
	 */
	public enum HighCardinalityKeyNames implements KeyName {

		/**
		 * Key of the lock as used in the store.
		 */
		KEY("key");

		private final String key;

		HighCardinalityKeyNames(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

}
