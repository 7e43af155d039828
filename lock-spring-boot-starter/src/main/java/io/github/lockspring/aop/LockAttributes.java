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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.DistributedSemaphore;
import io.github.lockspring.LockOptions;
import io.github.lockspring.OnLost;
import io.github.lockspring.aop.expression.LockExpression;

/**
 * Attributes of a lock annotation, resolved and validated.
 *
 * @param site the annotated method
 * @param name the name of the lock
 * @param key the key expression, or {@code null} to lock the name alone
 * @param condition the condition expression, or {@code null} to lock every call
 * @param options the lock options
 * @param times the durations that are evaluated for each call
 * @param failurePolicy the policy for calls whose lock could not be acquired
 * @param onLost the handling of a loss of the lock during a call
 * @param backend the name of the backend, or {@code null} for the default one
 */
record LockAttributes(AnnotatedMethod site, String name, @Nullable LockExpression key,
		@Nullable LockExpression condition, LockOptions options, List<DynamicDuration> times,
		FailurePolicy failurePolicy, OnLost onLost, @Nullable String backend) {

	public boolean isSemaphore() {
		return this.site.annotation().equals(DistributedSemaphore.class.getSimpleName());
	}

}
