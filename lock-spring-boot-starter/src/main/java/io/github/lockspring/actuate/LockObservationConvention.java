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

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Convention for the names and key values of observed acquisitions and holds. A bean of
 * this type replaces the default one, whose methods are those of this interface: the
 * names are {@code lock.acquire} and {@code lock.hold}, the key values {@code name},
 * {@code backend}, {@code type} and {@code outcome}, which have few values, and
 * {@code key}, which has many.
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

	@Override
	default String getContextualName(LockObservationContext context) {
		return context.getName() + ' ' + context.lockName();
	}

	@Override
	default KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		return KeyValues.of("name", context.lockName(), "backend", context.backend(), "type", context.type(), "outcome",
				context.outcome());
	}

	@Override
	default KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		return KeyValues.of("key", context.storeKey());
	}

}
