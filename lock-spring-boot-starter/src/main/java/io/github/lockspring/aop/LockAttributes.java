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

import org.jspecify.annotations.Nullable;

import io.github.lockspring.DistributedLock.OnFailure;
import io.github.lockspring.LockOptions;

/**
 * What the annotation of one method says, with all texts understood.
 *
 * @param name the name of the lock
 * @param key the key, or {@code null} to lock the name alone
 * @param options how to lock
 * @param onFailure what a call gets that could not acquire the lock
 * @param handleIndex the index of the parameter that gets the handle, or -1
 */
record LockAttributes(String name, @Nullable LockKey key, LockOptions options, OnFailure onFailure, int handleIndex) {

	static final int NO_HANDLE = -1;

}
