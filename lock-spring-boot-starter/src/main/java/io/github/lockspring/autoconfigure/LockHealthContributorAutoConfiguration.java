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

import java.util.LinkedHashMap;
import java.util.Map;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

import io.github.lockspring.actuate.LockHealthIndicator;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;
import io.github.lockspring.spi.TimeSource;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link LockHealthIndicator}: a
 * single indicator, or a composite with one for each backend.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(LockEngine.class)
@ConditionalOnEnabledHealthIndicator("lock")
public final class LockHealthContributorAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "lockHealthIndicator", "lockHealthContributor" })
	HealthContributor lockHealthIndicator(LockEngines engines, LockProperties properties,
			ObjectProvider<TimeSource> time) {
		Map<String, LockHealthIndicator> indicators = new LinkedHashMap<>();
		for (LockEngine engine : engines.all()) {
			indicators.put(engine.backendName(), new LockHealthIndicator(engine, properties.getOperationTimeout(),
					time.getIfAvailable(() -> TimeSource.SYSTEM)));
		}
		return (indicators.size() > 1) ? CompositeHealthContributor.fromMap(indicators)
				: indicators.values().iterator().next();
	}

}
