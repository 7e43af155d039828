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

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

import io.github.lockspring.actuate.LocksEndpoint;
import io.github.lockspring.actuate.LocksEndpointJmxExtension;
import io.github.lockspring.actuate.LocksEndpointWebExtension;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.LockEngines;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the {@link LocksEndpoint}, whose
 * bean exists for calls in code even if it is not exposed.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(LockEngine.class)
public final class LocksEndpointAutoConfiguration {

	@Bean("io.github.lockspring.locksEndpoint")
	@ConditionalOnMissingBean
	LocksEndpoint locksEndpoint(LockEngines engines, LockProperties properties, ApplicationEventPublisher publisher) {
		return new LocksEndpoint(engines, properties.getOperationTimeout(), publisher);
	}

	@Bean("io.github.lockspring.locksEndpointWebExtension")
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class, exposure = EndpointExposure.WEB)
	LocksEndpointWebExtension locksEndpointWebExtension(LocksEndpoint endpoint) {
		return new LocksEndpointWebExtension(endpoint);
	}

	@Bean("io.github.lockspring.locksEndpointJmxExtension")
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class, exposure = EndpointExposure.JMX)
	LocksEndpointJmxExtension locksEndpointJmxExtension(LocksEndpoint endpoint) {
		return new LocksEndpointJmxExtension(endpoint);
	}

}
