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

import java.time.Instant;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.spi.TimeSource;

/**
 * Configuration of locks in the memory of this process.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLockBackend(LockBackendType.LOCAL)
class LocalLockConfiguration {

	@Bean(name = "io.github.lockspring.localLockBackend", destroyMethod = "")
	LocalLockBackend localLockBackend(ObjectProvider<TimeSource> time) {
		TimeSource clock = time.getIfAvailable(() -> TimeSource.SYSTEM);
		return new LocalLockBackend(new LocalStore(() -> Instant.ofEpochMilli(clock.currentTimeMillis())));
	}

}
