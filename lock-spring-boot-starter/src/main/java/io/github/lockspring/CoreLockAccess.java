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

package io.github.lockspring;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.Hold;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.internal.LockAccess;
import io.github.lockspring.internal.WorkPart;

/**
 * Implementation of {@link LockAccess}.
 */
final class CoreLockAccess extends LockAccess {

	static void register() {
		register(new CoreLockAccess());
	}

	@Override
	public LockTemplate template(LockEngines engines, String prefix, LockOptions defaultOptions) {
		return new LockTemplate(engines, prefix, defaultOptions);
	}

	@Override
	public LockEngine engine(LockTemplate template) {
		return template.engine();
	}

	@Override
	public void registerName(LockTemplate template, String name) {
		template.registerName(name);
	}

	@Override
	public LockTemplate within(LockTemplate template, @Nullable LockContext context) {
		return template.within(context);
	}

	@Override
	public AcquireOptions acquireOptions(LockOptions options) {
		return options.acquireOptions();
	}

	@Override
	public RuntimeException translate(EngineException failure, String storeKey) {
		return LockException.of(failure, storeKey);
	}

	@Override
	public RuntimeException translateRenewalFailure(EngineException failure, String storeKey) {
		return LockException.ofRenewal(failure, storeKey);
	}

	@Override
	public RuntimeException translateValueFailure(EngineException failure, String storeKey) {
		return LockException.ofValue(failure, storeKey);
	}

	@Override
	public LockException lostException(String storeKey) {
		return new LockLostException(storeKey);
	}

	@Override
	public LockException limitException(String message, String storeKey) {
		return new LockLimitException(message, storeKey);
	}

	@Override
	public RuntimeException shutdownException(String storeKey) {
		return new LockShutdownException(storeKey, null);
	}

	@Override
	public LockHandle handle(LockTemplate template, Hold hold) {
		return template.handle(hold);
	}

	@Override
	public @Nullable Hold holdOf(LockHandle lock, LockTemplate template, String storeKey) {
		return LockContext.holdOf(lock, template.backendName(), storeKey);
	}

	@Override
	public boolean isHeld(LockTemplate template, String storeKey, LockOptions options) {
		Hold hold = template.engine().heldBy(storeKey, template.ownerOf(storeKey), options.acquireOptions());
		return hold != null && hold.isHeld();
	}

	@Override
	public LockHandle handle(Collection<LockHandle> locks) {
		return CompositeLockHandle.of(locks);
	}

	@Override
	public LockContext context(String name, LockHandle lock, @Nullable LockContext outer) {
		return new LockContext(name, lock, outer);
	}

	@Override
	public WorkPart begin(@Nullable LockContext context) {
		return LockContext.begin(context);
	}

	@Override
	public void enter(String name, LockHandle lock) {
		LockContext.enter(name, lock);
	}

	@Override
	public void leave() {
		LockContext.leave();
	}

	@Override
	public Object ownerOf(LockTemplate template, String storeKey) {
		return template.ownerOf(storeKey);
	}

}
