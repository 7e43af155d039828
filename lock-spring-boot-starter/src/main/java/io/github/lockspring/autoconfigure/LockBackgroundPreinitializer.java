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

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;

/**
 * Has the classes loaded that the first locked bean needs, while the application is busy
 * with other things: to make the first proxy of a class takes as long as the rest of this
 * library at startup.
 */
final class LockBackgroundPreinitializer implements BackgroundPreinitializer {

	@Override
	public void preinitialize() {
		ProxyFactory factory = new ProxyFactory(new Sample());
		factory.setProxyTargetClass(true);
		factory.addAdvice((MethodInterceptor) MethodInvocation::proceed);
		factory.getProxy(LockBackgroundPreinitializer.class.getClassLoader());
	}

	/**
	 * Stands for a bean.
	 */
	static class Sample {

		void call() {
			// for a method that is advised
		}

	}

}
