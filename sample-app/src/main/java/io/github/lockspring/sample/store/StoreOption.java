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

package io.github.lockspring.sample.store;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ApplicationArguments;

import io.github.lockspring.sample.WrongOptionException;

/**
 * The option {@code --store}, which selects where the locks and the stock are.
 *
 * @param type the kind of store
 * @param address the address of the store, or {@code null} to start one
 */
public record StoreOption(StoreType type, @Nullable String address) {

	/**
	 * The name of the option.
	 */
	public static final String NAME = "store";

	/**
	 * What holds without the option.
	 */
	static final StoreOption DEFAULT = new StoreOption(StoreType.H2, null);

	private static final String EMBEDDED = "embedded";

	private static final String WRONG_ADDRESS = "--store=%1$s takes an address such as --store=%1$s=%2$s, "
			+ "or --store=%1$s=embedded to start a server, not '%3$s'";

	/**
	 * Read the option from a command line.
	 * @param arguments the arguments
	 * @return the last such option, or H2 if there is none
	 * @throws WrongOptionException if it is wrong, with a sentence for the user
	 */
	public static StoreOption of(ApplicationArguments arguments) {
		List<String> values = arguments.getOptionValues(NAME);
		return (values != null && !values.isEmpty()) ? parse(values.get(values.size() - 1)) : DEFAULT;
	}

	/**
	 * Read the value of the option: the name of a store, which may be followed by
	 * {@code =} and its address or {@code =embedded}.
	 * @param value the value, such as {@code redis=embedded}
	 * @return the option
	 * @throws WrongOptionException if it is wrong, with a sentence for the user
	 */
	public static StoreOption parse(String value) {
		String[] parts = value.split("=", 2);
		StoreType type = type(parts[0]);
		if (parts.length == 1) {
			return new StoreOption(type, (type != StoreType.H2) ? type.usualAddress() : null);
		}
		return parts[1].equals(EMBEDDED) ? new StoreOption(type, null) : new StoreOption(type, address(type, parts[1]));
	}

	private static StoreType type(String id) {
		return Arrays.stream(StoreType.values())
			.filter((type) -> type.id().equals(id))
			.findFirst()
			.orElseThrow(() -> new WrongOptionException("--store must be one of %s, not '%s'".formatted(ids(), id)));
	}

	private static String ids() {
		return Arrays.stream(StoreType.values()).map(StoreType::id).collect(Collectors.joining(", "));
	}

	private static String address(StoreType type, String address) {
		if (!type.isAddress(address)) {
			throw new WrongOptionException(WRONG_ADDRESS.formatted(type.id(), type.usualAddress(), address));
		}
		return address;
	}

}
