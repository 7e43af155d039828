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

package io.github.lockspring.autoconfigure;

import java.util.List;
import java.util.Set;

import io.lettuce.core.StatefulRedisConnectionImpl;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.server.CallRecorder;
import io.github.lockspring.server.CallRecorder.Entry;
import io.github.lockspring.server.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What one call of an annotated method runs through if no other owner wants its lock. The
 * numbers may shrink, and are to be lowered then.
 */
class CallPathServerTests {

	private static final String CLIENT = StatefulRedisConnectionImpl.class.getName();

	/**
	 * Recurses to check for stack space, and does nothing else.
	 */
	private static final String STACK_CHECK = LockEngine.class.getPackageName() + ".StackRoom";

	@Test
	void uncontendedCallOnRedisIsShort() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
					LockAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.url=" + RedisServer.shared().uri(), "lock.operation-timeout=10s")
			.withBean(Orders.class)
			.run((context) -> assertShort(record(context.getBean(Orders.class))));
	}

	private static List<Entry> record(Orders orders) {
		orders.ship("42");
		try (CallRecorder recorder = CallRecorder.install(StatefulRedisConnectionImpl.class)) {
			orders.ship("42");
			return recorder.record(() -> orders.ship("42"));
		}
	}

	private static void assertShort(List<Entry> all) {
		List<Entry> own = all.stream().filter((entry) -> !Set.of(CLIENT, STACK_CHECK).contains(entry.type())).toList();
		int close = all.stream().map(Entry::method).toList().lastIndexOf("close");
		List<Entry> release = all.subList(close, all.size());
		assertThat(framesAtClient(all.subList(0, close))).as("frames of an acquisition: %s", all)
			.isLessThanOrEqualTo(17);
		assertThat(framesAtClient(release) - release.get(0).depth() + 1).as("frames of a release: %s", release)
			.isLessThanOrEqualTo(10);
		assertThat(own.stream().map(Entry::type).distinct().count()).as("classes: %s", own).isLessThanOrEqualTo(44);
		assertThat(own.size()).as("entries: %s", own).isLessThanOrEqualTo(258);
	}

	/**
	 * Returns the number of frames of the library below which the client is called.
	 */
	private static int framesAtClient(List<Entry> entries) {
		return entries.stream()
			.filter((entry) -> entry.type().equals(CLIENT))
			.mapToInt((entry) -> entry.depth() - 1)
			.min()
			.orElseThrow();
	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		void ship(String id) {
		}

	}

}
