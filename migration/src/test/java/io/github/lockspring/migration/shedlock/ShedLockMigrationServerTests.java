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

package io.github.lockspring.migration.shedlock;

import java.util.stream.Stream;

import org.springframework.context.ApplicationContext;

import io.github.lockspring.migration.AbstractMigrationServerTests;
import io.github.lockspring.migration.Release;

/**
 * Tests the migration from ShedLock, in a database.
 */
class ShedLockMigrationServerTests extends AbstractMigrationServerTests {

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
		return Stream.of("lock.backend=jdbc", "spring.datasource.url=jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1",
				"spring.sql.init.schema-locations=classpath:shedlock.sql", "prices.cron=-", "prices.at-least=1ms");
	}

	@Override
	protected void call(ApplicationContext context) {
		context.getBean("prices", Runnable.class).run();
	}

}
