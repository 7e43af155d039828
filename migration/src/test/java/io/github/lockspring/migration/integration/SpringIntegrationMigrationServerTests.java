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

package io.github.lockspring.migration.integration;

import java.util.stream.Stream;

import io.github.lockspring.migration.AbstractMigrationServerTests;
import io.github.lockspring.migration.Release;
import io.github.lockspring.server.RedisServer;

/**
 * Tests the migration from the lock registries of Spring Integration, in Redis.
 */
class SpringIntegrationMigrationServerTests extends AbstractMigrationServerTests {

	@Override
	protected Class<?> application(Release release) {
		return switch (release) {
			case BEFORE -> BeforeApplication.class;
			case BOTH -> BothApplication.class;
			case AFTER -> AfterApplication.class;
		};
	}

	@Override
	protected Stream<String> properties(Release release) {
		RedisServer server = RedisServer.shared();
		return Stream.of("lock.backend=redis", "spring.data.redis.host=" + server.host(),
				"spring.data.redis.port=" + server.port());
	}

}
