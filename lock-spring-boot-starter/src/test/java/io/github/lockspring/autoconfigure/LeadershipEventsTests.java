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

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import io.github.lockspring.concurrent.LeaderElection;
import io.github.lockspring.concurrent.LockClient;
import io.github.lockspring.event.LeadershipGrantedEvent;
import io.github.lockspring.event.LeadershipRevokedEvent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leadership in an application: its events, and its end with the context.
 */
class LeadershipEventsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues("lock.backend=local");

	@Test
	void eventsArePublishedForEachTerm() {
		this.runner.run((context) -> {
			BlockingQueue<Object> events = context.getBean(Application.class).events;
			LeaderElection election = context.getBean(LeaderElection.class);
			election.start();
			election.await();
			long token = election.fencingToken();
			assertThat(election.storeKey()).isEqualTo("lock:reports");
			assertThat(next(events)).isEqualTo(new LeadershipGrantedEvent("lock:reports", token, "local"));
			election.stop();
			assertThat(next(events)).isEqualTo(new LeadershipRevokedEvent("lock:reports", token, "local"));
			assertThat(events).isEmpty();
		});
	}

	@Test
	void leadershipIsRevokedWhenTheContextIsClosed() {
		this.runner.run((context) -> {
			BlockingQueue<Object> events = context.getBean(Application.class).events;
			LeaderElection election = context.getBean(LeaderElection.class);
			election.start();
			election.await();
			assertThat(next(events)).isInstanceOf(LeadershipGrantedEvent.class);
			context.close();
			assertThat(election.isLeader()).isFalse();
			assertThat(next(events)).isInstanceOf(LeadershipRevokedEvent.class);
			assertThat(election.isRunning()).isFalse();
		});
	}

	private static Object next(BlockingQueue<Object> events) throws InterruptedException {
		return events.poll(1, TimeUnit.MINUTES);
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

		@Bean
		LeaderElection leaderElection(LockClient client) {
			return client.leaderElection("reports");
		}

		@EventListener({ LeadershipGrantedEvent.class, LeadershipRevokedEvent.class })
		void on(Object event) {
			this.events.add(event);
		}

		@EventListener
		void fail(LeadershipGrantedEvent event) {
			throw new IllegalStateException("A listener may fail");
		}

	}

}
