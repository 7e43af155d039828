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

import java.lang.reflect.Method;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Matches methods that are to be locked.
 */
final class DistributedLockPointcut extends StaticMethodMatcherPointcut {

	private final LockAttributesSource source;

	DistributedLockPointcut(LockAttributesSource source) {
		this.source = source;
		setClassFilter(new LockedClassFilter());
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.source.isLocked(method, targetClass);
	}

	/**
	 * The same for all instances, because Spring decides by this text whether two proxies
	 * can share a class.
	 */
	@Override
	public String toString() {
		return DistributedLockPointcut.class.getName();
	}

	private final class LockedClassFilter implements ClassFilter {

		@Override
		public boolean matches(Class<?> targetClass) {
			return DistributedLockPointcut.this.source.hasLocks(targetClass);
		}

		@Override
		public String toString() {
			return LockedClassFilter.class.getName();
		}

	}

}
