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

package io.github.lockspring.sample;

import java.util.Arrays;
import java.util.List;

import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.util.StringUtils;

import io.github.lockspring.sample.demo.Demonstration;
import io.github.lockspring.sample.store.H2Program;
import io.github.lockspring.sample.store.Store;
import io.github.lockspring.sample.store.StoreNotStartedException;
import io.github.lockspring.sample.store.StoreOption;
import io.github.lockspring.sample.store.Stores;

/**
 * A shop that must not sell more than it has, however many instances of it run. With
 * {@code demo} as first argument it is the demonstration instead, which starts several
 * shops and customers. Without {@code instance} it opens the store for itself.
 */
@SpringBootApplication
@EnableResilientMethods
public class SampleApplication {

	/**
	 * First argument of a process that is an instance only, and shows no page.
	 */
	public static final String INSTANCE = "instance";

	/**
	 * First argument of a process that is a database for instances.
	 */
	public static final String DATABASE = "database";

	private static final String DEMONSTRATION = "demo";

	public static void main(String[] args) throws Exception {
		String role = (args.length > 0) ? args[0] : "";
		switch (role) {
			case DEMONSTRATION -> System.exit(Demonstration.run(Arrays.copyOfRange(args, 1, args.length)));
			case DATABASE -> H2Program.run();
			case INSTANCE -> SpringApplication.run(SampleApplication.class, args);
			default -> runFirst(args);
		}
	}

	/**
	 * Runs the first instance, with the store for all. The store ends after the
	 * application.
	 */
	private static void runFirst(String... args) {
		try {
			Store store = Stores.open(StoreOption.of(new DefaultApplicationArguments(args)), List.of(args));
			SpringApplication.getShutdownHandlers().add(store::close);
			SpringApplication application = new SpringApplication(SampleApplication.class);
			application.addInitializers((context) -> context.getBeanFactory().registerSingleton("store", store));
			application.run(StringUtils.concatenateStringArrays(args, StringUtils.toStringArray(store.arguments())));
		}
		catch (IllegalArgumentException | StoreNotStartedException ex) {
			System.err.println(ex.getMessage());
			System.exit(2);
		}
	}

}
