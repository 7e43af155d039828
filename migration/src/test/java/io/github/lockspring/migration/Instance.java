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

package io.github.lockspring.migration;

import java.util.concurrent.atomic.AtomicBoolean;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A running instance of an application.
 */
final class Instance implements AutoCloseable {

	private final Work work = new Work();

	private final ConfigurableApplicationContext context;

	private final Call call;

	Instance(Class<?> application, Call call, String... properties) {
		this.context = new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.properties(properties)
			.initializers((context) -> context.getBeanFactory().registerSingleton("work", this.work))
			.run();
		this.call = call;
	}

	/**
	 * Call the locked method.
	 * @param content what it is to do under the lock
	 * @return whether it did so, which it does not if another instance holds the lock
	 */
	boolean runs(Runnable content) {
		AtomicBoolean ran = new AtomicBoolean();
		this.work.set(() -> {
			ran.set(true);
			content.run();
		});
		try {
			this.call.on(this.context);
		}
		catch (Exception ex) {
			if (ran.get()) {
				throw new IllegalStateException(ex);
			}
		}
		return ran.get();
	}

	@Override
	public void close() {
		this.context.close();
	}

	/**
	 * Calls the locked method of an application.
	 */
	interface Call {

		void on(ApplicationContext context) throws Exception;

	}

}
