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

import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;

import io.github.lockspring.spi.LockConfigurationException;

/**
 * Rejects an application with another generation of Spring Boot before it fails on a
 * class that does not exist there. Uses only what all generations have.
 */
final class SpringBootGeneration implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

	private static final String SUPPORTED = "4.";

	@Override
	public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
		require(SpringBootVersion.getVersion());
	}

	/**
	 * Require a version of the supported generation.
	 * @param version the version, {@code null} if it is unknown
	 */
	static void require(@Nullable String version) {
		if (version != null && !version.startsWith(SUPPORTED)) {
			throw new LockConfigurationException(
					"This version of lock-spring-boot-starter is for Spring Boot 4. The application has Spring Boot "
							+ version + '.',
					"Use Spring Boot 4, or another version of lock-spring-boot-starter.");
		}
	}

}
