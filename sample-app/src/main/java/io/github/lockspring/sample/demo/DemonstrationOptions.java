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

package io.github.lockspring.sample.demo;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.util.StringUtils;

import io.github.lockspring.sample.WrongOptionException;
import io.github.lockspring.sample.stock.Strategy;
import io.github.lockspring.sample.store.StoreOption;

/**
 * What the demonstration is asked to do on the command line.
 *
 * @param instances the number of instances to start
 * @param threads the number of customers at once
 * @param requests the number of requests of each customer
 * @param stock the pieces in stock at the start of each round
 * @param strategies the strategies, a round each
 * @param killOne whether to kill an instance in the middle of each round
 * @param store where the locks and the stock are to be
 * @param instanceArguments all other arguments, which go to the instances as they are
 */
record DemonstrationOptions(int instances, int threads, int requests, int stock, List<Strategy> strategies,
		boolean killOne, StoreOption store, List<String> instanceArguments) {

	private static final Set<String> NAMES = Set.of("instances", "threads", "requests", "stock", "strategies",
			"kill-one", StoreOption.NAME);

	DemonstrationOptions {
		if (killOne && instances == 1) {
			throw new WrongOptionException("--kill-one needs at least two instances");
		}
	}

	static DemonstrationOptions parse(String... args) {
		ApplicationArguments arguments = new DefaultApplicationArguments(args);
		return new DemonstrationOptions(number(arguments, "instances", 3), number(arguments, "threads", 100),
				number(arguments, "requests", 50), number(arguments, "stock", 5000), strategies(arguments),
				flag(arguments, "kill-one"), StoreOption.of(arguments), instanceArguments(args));
	}

	/**
	 * Returns the requests of all customers together.
	 * @return the number of requests of a round
	 */
	int totalRequests() {
		return this.threads * this.requests;
	}

	private static int number(ApplicationArguments arguments, String name, int defaultValue) {
		String value = value(arguments, name);
		if (value == null) {
			return defaultValue;
		}
		if (!value.matches("[1-9]\\d{0,6}")) {
			throw new WrongOptionException("--%s must be a whole number above 0, not '%s'".formatted(name, value));
		}
		return Integer.parseInt(value);
	}

	private static List<Strategy> strategies(ApplicationArguments arguments) {
		String value = value(arguments, "strategies");
		if (value == null) {
			return List.of(Strategy.values());
		}
		return StringUtils.commaDelimitedListToSet(value).stream().map(DemonstrationOptions::strategy).toList();
	}

	private static Strategy strategy(String name) {
		try {
			return Strategy.of(name.trim());
		}
		catch (IllegalArgumentException ex) {
			throw new WrongOptionException("--strategies knows %s, not '%s'"
				.formatted(Arrays.stream(Strategy.values()).map(Strategy::id).toList(), name));
		}
	}

	private static boolean flag(ApplicationArguments arguments, String name) {
		return arguments.containsOption(name) && !"false".equals(value(arguments, name));
	}

	private static @Nullable String value(ApplicationArguments arguments, String name) {
		List<String> values = arguments.getOptionValues(name);
		return (values == null || values.isEmpty()) ? null : values.get(values.size() - 1);
	}

	private static List<String> instanceArguments(String... args) {
		return Arrays.stream(args).filter((arg) -> !isOurs(arg)).toList();
	}

	private static boolean isOurs(String arg) {
		return arg.startsWith("--") && NAMES.contains(arg.substring(2).split("=", 2)[0]);
	}

}
