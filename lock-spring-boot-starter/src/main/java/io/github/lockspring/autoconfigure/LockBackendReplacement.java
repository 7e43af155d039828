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

package io.github.lockspring.autoconfigure;

import io.github.lockspring.spi.LockBackend;

/**
 * Creates the lock backends of an application instead of those that its properties and
 * clients select, as for a test.
 * <p>
 * If there is a bean of this type, no client bean is used for locks. The names remain
 * those that the properties select, so that annotations and settings that name a backend
 * keep their meaning; without {@code lock.backend} the only backend is called
 * {@code local}. Backends that the application defines as beans are not opened, but
 * replaced by others of the same name.
 */
@FunctionalInterface
public interface LockBackendReplacement {

	/**
	 * Create a backend.
	 * @param name the name of the backend
	 * @return a backend of that name
	 */
	LockBackend replace(String name);

}
