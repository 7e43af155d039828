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
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The kinds of stores.
 */
public enum StoreType {

	/**
	 * The stock and the locks in H2.
	 */
	H2("jdbc:h2:tcp://localhost/~/lock_sample", "jdbc:h2:.+"),

	/**
	 * The locks in Redis.
	 */
	REDIS("redis://localhost:6379", "rediss?://.+"),

	/**
	 * The locks in ZooKeeper.
	 */
	ZOOKEEPER("localhost:2181", "[^:/=,]+(:\\d+)?(,[^:/=,]+(:\\d+)?)*(/.*)?"),

	/**
	 * The stock and the locks in PostgreSQL.
	 */
	POSTGRES("jdbc:postgresql://localhost:5432/lock_sample", "jdbc:postgresql:.+"),

	/**
	 * The stock and the locks in MariaDB.
	 */
	MARIADB("jdbc:mariadb://localhost:3306/lock_sample", "jdbc:mariadb:.+");

	private final String usualAddress;

	private final String pattern;

	StoreType(String usualAddress, String pattern) {
		this.usualAddress = usualAddress;
		this.pattern = pattern;
	}

	/**
	 * Return the name on the command line.
	 * @return the name
	 */
	String id() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return the address of a server of this machine, with the usual port.
	 * @return the address
	 */
	String usualAddress() {
		return this.usualAddress;
	}

	boolean isAddress(String text) {
		return text.matches(this.pattern);
	}

	/**
	 * Return whether the store is a database, which has the stock as well.
	 * @return whether the stock is in this store
	 */
	boolean isDatabase() {
		return this != REDIS && this != ZOOKEEPER;
	}

	/**
	 * Return the type of a database that is specified by its URL or profile.
	 * @param argument the URL or the profile that names it
	 * @return the kind, H2 if it is none of the others
	 */
	static StoreType ofDatabase(String argument) {
		return Stream.of(POSTGRES, MARIADB)
			.filter((type) -> argument.toLowerCase(Locale.ROOT).contains(type.id()))
			.findFirst()
			.orElse(H2);
	}

	/**
	 * Return the arguments with which instances use a store of this kind.
	 * @param address the address of the store
	 * @return arguments for instances
	 */
	List<String> arguments(String address) {
		return switch (this) {
			case H2 -> List.of("--spring.datasource.url=" + address);
			case REDIS -> List.of("--lock.backend=redis", "--spring.data.redis.url=" + address);
			case ZOOKEEPER -> List.of("--lock.backend=zookeeper", "--lock.zookeeper.connect-string=" + address);
			// The profiles have the names of the drivers
			case POSTGRES -> List.of("--spring.profiles.active=postgresql", "--spring.datasource.url=" + address);
			case MARIADB -> List.of("--spring.profiles.active=mariadb", "--spring.datasource.url=" + address);
		};
	}

}
