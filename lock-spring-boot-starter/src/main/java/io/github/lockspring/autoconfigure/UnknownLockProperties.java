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

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * Warns of properties below {@code lock} that mean nothing to this library. They may be
 * misspelt, or may belong to the application.
 */
final class UnknownLockProperties implements InitializingBean {

	private static final Log logger = LogFactory.getLog(UnknownLockProperties.class);

	private final Environment environment;

	UnknownLockProperties(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void afterPropertiesSet() {
		try {
			Binder.get(this.environment)
				.bind("lock", Bindable.of(LockProperties.class),
						new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
		}
		catch (BindException ex) {
			if (ex.getCause() instanceof UnboundConfigurationPropertiesException unbound) {
				logger.warn("Unknown properties: " + namesOf(unbound));
			}
		}
	}

	private static List<String> namesOf(UnboundConfigurationPropertiesException unbound) {
		return unbound.getUnboundProperties().stream().map((property) -> property.getName().toString()).toList();
	}

}
