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

package io.github.lockspring.aop.aspectj;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import io.github.lockspring.aop.DistributedLockInterceptor;

/**
 * Registers the interceptor of an application context with the
 * {@link DistributedLockAspect}, from before the first regular bean is created until
 * after the last one was destroyed.
 */
public final class DistributedLockAspectConfigurer implements BeanFactoryPostProcessor, DisposableBean {

	private final DistributedLockInterceptor interceptor;

	/**
	 * Create a configurer.
	 * @param interceptor the interceptor that runs the methods under their locks
	 */
	public DistributedLockAspectConfigurer(DistributedLockInterceptor interceptor) {
		this.interceptor = interceptor;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		DistributedLockAspect.aspectOf().add(this.interceptor);
	}

	@Override
	public void destroy() {
		DistributedLockAspect.aspectOf().remove(this.interceptor);
	}

}
