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

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.scheduling.annotation.EnableScheduling;

import io.github.lockspring.sample.demo.Demonstration;
import io.github.lockspring.sample.lesson.HolderProgram;
import io.github.lockspring.sample.page.PageLauncher;
import io.github.lockspring.sample.process.ParentProcess;
import io.github.lockspring.sample.store.H2Program;
import io.github.lockspring.sample.store.StoreNotStartedException;

/**
 * A shop that must not sell more than it has, however many instances of it run. Starts
 * three instances, on a store for all, and a page on which one can watch them. With
 * {@code demo} as first argument it is the demonstration in a terminal, with
 * {@code instance} a single instance.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableResilientMethods
@EnableScheduling
public class SampleApplication {

	/**
	 * First argument of a process that is an instance only, and shows no page.
	 */
	public static final String INSTANCE = "instance";

	/**
	 * First argument of a process that is a database for instances.
	 */
	public static final String DATABASE = "database";

	/**
	 * First argument of a process that holds a lock in an experiment.
	 */
	public static final String HOLDER = "lock-holder";

	private static final String DEMONSTRATION = "demo";

	public static void main(String[] args) throws Exception {
		ParentProcess.endWithIt();
		String role = (args.length > 0) ? args[0] : "";
		try {
			switch (role) {
				case DEMONSTRATION -> System.exit(Demonstration.run(withoutFirst(args)));
				case DATABASE -> H2Program.run();
				case HOLDER -> HolderProgram.run(withoutFirst(args));
				case INSTANCE -> SpringApplication.run(SampleApplication.class, withoutFirst(args));
				default -> PageLauncher.run(args);
			}
		}
		catch (WrongOptionException | StoreNotStartedException ex) {
			System.err.println(ex.getMessage());
			System.exit(2);
		}
	}

	private static String[] withoutFirst(String[] args) {
		return Arrays.copyOfRange(args, 1, args.length);
	}

}
