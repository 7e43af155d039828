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

package io.github.lockspring.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.springframework.core.env.PropertySource;
import org.springframework.util.StringUtils;

import io.github.lockspring.benchmarks.contestant.Entrant;
import io.github.lockspring.benchmarks.store.Store;
import io.github.lockspring.benchmarks.workload.Workload;
import io.github.lockspring.benchmarks.workload.Workloads;

/**
 * The options of {@link SideBySide}.
 * <ul>
 * <li>{@code --store=h2}: one of {@code memory}, {@code h2}, {@code h2-server},
 * {@code redis}, {@code zookeeper}, {@code zookeeper-distant}, {@code postgresql},
 * {@code postgresql-distant}, {@code postgresql-notify-off}, {@code mariadb},
 * {@code mariadb-prepared} and {@code mariadb-distant}</li>
 * <li>{@code --workloads=one-key,hand-off}: by default all that the store admits</li>
 * <li>{@code --contestants=floor,lock-starter}: by default all that the workload
 * admits</li>
 * <li>{@code --repetitions=5}</li>
 * <li>{@code --seconds=2}: how long each run takes; {@code 0.05} is a number too</li>
 * <li>{@code --warm-up=2}: how long a run takes that is not counted</li>
 * <li>{@code --warm-ups=1}: how many runs are not counted</li>
 * </ul>
 */
final class SideBySideOptions {

	private final PropertySource<?> options;

	SideBySideOptions(PropertySource<?> options) {
		this.options = options;
	}

	String store() {
		return option("store", "h2");
	}

	List<Workload> workloads() {
		String names = option("workloads", "");
		return names.isEmpty() ? Workloads.all()
				: StringUtils.commaDelimitedListToSet(names).stream().map(Workloads::named).toList();
	}

	List<Entrant> contestants(Store store, Workload workload) {
		Set<String> names = StringUtils.commaDelimitedListToSet(option("contestants", ""));
		return Stream.concat(store.entrants().stream(), names.isEmpty() ? Stream.empty() : store.primitives().stream())
			.filter((entrant) -> names.isEmpty() || names.contains(entrant.name()))
			.filter((entrant) -> workload.admits(store, entrant))
			.toList();
	}

	int repetitions() {
		return Integer.parseInt(option("repetitions", "5"));
	}

	Duration time() {
		return seconds("seconds");
	}

	Duration warmUp() {
		return seconds("warm-up");
	}

	int warmUps() {
		return Integer.parseInt(option("warm-ups", "1"));
	}

	private Duration seconds(String name) {
		return Duration.ofMillis(Math.round(Double.parseDouble(option(name, "2")) * 1_000));
	}

	private String option(String name, String defaultValue) {
		Object value = this.options.getProperty(name);
		return (value != null) ? value.toString() : defaultValue;
	}

}
