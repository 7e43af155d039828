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

import java.util.List;

import io.github.lockspring.sample.WrongOptionException;

/**
 * Opens stores, and starts those that are to be started.
 */
public final class Stores {

	private static final List<String> DATABASE = List.of("--spring.datasource.url=", "--spring.profiles.active=");

	private Stores() {
	}

	/**
	 * Open a store. Where it is not a database, and the arguments name none, a database
	 * for the stock is started besides.
	 * @param option the store that is wanted
	 * @param arguments the other arguments of the command line
	 * @return the store
	 * @throws WrongOptionException if the arguments name another database, with a
	 * sentence for the user
	 * @throws StoreNotStartedException if a server does not start
	 */
	public static Store open(StoreOption option, List<String> arguments) {
		String database = arguments.stream().filter(Stores::namesDatabase).findFirst().orElse(null);
		if (option.type().isDatabase()) {
			return (database != null) ? named(option, database) : open(option);
		}
		Store locks = open(option);
		return (database != null) ? locks : withStock(locks);
	}

	private static boolean namesDatabase(String argument) {
		return DATABASE.stream().anyMatch(argument::startsWith);
	}

	private static Store named(StoreOption option, String database) {
		if (!option.equals(StoreOption.DEFAULT)) {
			throw new WrongOptionException("--store=%s names a database, and so does %s: use one of them"
				.formatted(option.type().id(), database));
		}
		return new NamedStore(StoreType.ofDatabase(database).id(), List.of());
	}

	private static Store open(StoreOption option) {
		String address = option.address();
		if (address != null) {
			return new NamedStore(option.type().id(), option.type().arguments(address));
		}
		return (option.type() == StoreType.H2) ? H2Store.start() : EmbeddedStore.start(option.type());
	}

	private static Store withStock(Store locks) {
		try {
			return new StoreBesideStock(locks, H2Store.start());
		}
		catch (RuntimeException ex) {
			locks.close();
			throw ex;
		}
	}

}
