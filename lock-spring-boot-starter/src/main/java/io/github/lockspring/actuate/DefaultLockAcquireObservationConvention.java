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

import io.github.lockspring.actuate.LockObservationDocumentation.HighCardinalityKeyNames;
import io.github.lockspring.actuate.LockObservationDocumentation.LowCardinalityKeyNames;

/**
 * Default {@link LockAcquireObservationConvention}. The key of the lock is a
 * high-cardinality key value, which is used by spans and not by meters.
 */
public class DefaultLockAcquireObservationConvention implements LockAcquireObservationConvention {

	@Override
	public String getName() {
		return "lock.acquire";
	}

	@Override
	public String getContextualName(LockAcquireObservationContext context) {
		return "lock.acquire " + context.lockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockAcquireObservationContext context) {
		return KeyValues.of(LowCardinalityKeyNames.NAME.withValue(context.lockName()),
				LowCardinalityKeyNames.BACKEND.withValue(context.backend()),
				LowCardinalityKeyNames.TYPE.withValue(context.type()),
				LowCardinalityKeyNames.OUTCOME.withValue(context.outcome()));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockAcquireObservationContext context) {
		return KeyValues.of(HighCardinalityKeyNames.KEY.withValue(context.storeKey()));
	}

}
