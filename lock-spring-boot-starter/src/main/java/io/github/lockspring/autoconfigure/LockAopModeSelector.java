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

import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import io.github.lockspring.autoconfigure.LockProperties.AopMode;

/**
 * Chooses what puts the advice around annotated methods.
 */
final class LockAopModeSelector implements ImportSelector {

	private final Environment environment;

	LockAopModeSelector(Environment environment) {
		this.environment = environment;
	}

	@Override
	public String[] selectImports(AnnotationMetadata metadata) {
		return new String[] { switch (modeIn(this.environment)) {
			case PROXY -> ProxiedLockConfiguration.class.getName();
			case ASPECTJ -> WovenLockConfiguration.class.getName();
		} };
	}

	/**
	 * Reads the property as it is bound later, so that both agree.
	 */
	static AopMode modeIn(Environment environment) {
		BindResult<AopMode> mode = Binder.get(environment).bind("lock.aop.mode", AopMode.class);
		return mode.isBound() ? mode.get() : AopMode.PROXY;
	}

}
