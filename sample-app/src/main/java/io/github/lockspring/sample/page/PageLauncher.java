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

package io.github.lockspring.sample.page;

import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

import io.github.lockspring.sample.SampleApplication;
import io.github.lockspring.sample.WrongOptionException;
import io.github.lockspring.sample.store.Store;
import io.github.lockspring.sample.store.StoreNotStartedException;
import io.github.lockspring.sample.store.StoreOption;
import io.github.lockspring.sample.store.Stores;

/**
 * Starts the first instance, which serves the page and starts the others, on a store that
 * is opened before and closed after them.
 */
public final class PageLauncher {

	/**
	 * Profile of the process that serves the page.
	 */
	static final String PROFILE = "page";

	private PageLauncher() {
	}

	/**
	 * Start the application with the page.
	 * @param args {@code --store=} and arguments of the application, for all instances
	 * @return the context of the first instance
	 * @throws WrongOptionException if the store is wrong, with a sentence for the user
	 * @throws StoreNotStartedException if the store does not start
	 */
	public static ConfigurableApplicationContext run(String... args) {
		Store store = Stores.open(StoreOption.of(new DefaultApplicationArguments(args)), List.of(args));
		List<String> arguments = new ArrayList<>(List.of(args));
		arguments.addAll(store.arguments());
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.setAdditionalProfiles(PROFILE);
		application.addInitializers((ApplicationContextInitializer<GenericApplicationContext>) (context) -> {
			context.registerBean(Store.class, () -> store);
			// the first bean is destroyed last
			context.addBeanFactoryPostProcessor((beans) -> beans.getBean(Store.class));
		});
		try {
			return application.run(arguments.toArray(String[]::new));
		}
		catch (RuntimeException | Error ex) {
			store.close();
			throw ex;
		}
	}

}
