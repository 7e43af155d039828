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

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.github.lockspring.LockOperations;
import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.LockUnavailableException;
import io.github.lockspring.actuate.LockHealthIndicator;
import io.github.lockspring.server.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ZooKeeperLockConfiguration}.
 */
@Timeout(300)
class ZooKeeperLockConfigurationServerTests {

	private static final ZooKeeperServer server = ZooKeeperServer.shared();

	private static final CuratorFramework observer = client();

	private final String namespace = "locks-" + UUID.randomUUID();

	private final String root = '/' + this.namespace;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(LockAutoConfiguration.class, LockHealthContributorAutoConfiguration.class))
		.withPropertyValues("lock.zookeeper.namespace=" + this.namespace, "lock.operation-timeout=10s",
				"lock.shutdown-timeout=0s");

	private final ApplicationContextRunner withServer = this.runner
		.withPropertyValues("lock.zookeeper.connect-string=" + server.connectString());

	@BeforeAll
	static void connect() {
		observer.start();
	}

	@AfterAll
	static void disconnect() {
		observer.close();
	}

	private static CuratorFramework client() {
		return CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100));
	}

	@Test
	void lockIsANodeInZooKeeper() {
		this.withServer.run((context) -> {
			context.getBean(LockOperations.class)
				.executeWithoutResult("order",
						(lock) -> assertThat(heldBelow(this.root)).hasSize(1).first().asString().contains("order"));
			assertThat(heldBelow(this.root)).isEmpty();
		});
	}

	/**
	 * The paths of the nodes that end with a session.
	 */
	private static List<String> heldBelow(String path) {
		try {
			List<String> held = new ArrayList<>();
			for (String child : observer.getChildren().forPath(path)) {
				String below = path + '/' + child;
				if (observer.checkExists().forPath(below).getEphemeralOwner() != 0) {
					held.add(below);
				}
				held.addAll(heldBelow(below));
			}
			return held;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void clientOfOurOwnIsNoBeanForOthers() {
		this.withServer.run((context) -> assertThat(context).doesNotHaveBean(CuratorFramework.class));
	}

	@Test
	void clientOfOurOwnIsClosedAfterLocksWereReleased() {
		this.withServer.run((context) -> {
			CuratorFramework own = context.getBean(ZooKeeperLockConfiguration.ZooKeeperLockClient.class).framework();
			assertThat(own.getState()).isEqualTo(CuratorFrameworkState.STARTED);
			assertThat(heldAtTheEnd(context, own)).containsExactly("nothing");
			assertThat(own.getState()).isEqualTo(CuratorFrameworkState.STOPPED);
		});
	}

	@Test
	void clientOfTheApplicationIsStartedByTheApplicationAtAnyTime() {
		CuratorFramework client = client();
		this.runner.withPropertyValues("lock.operation-timeout=1s")
			.withBean("curator", CuratorFramework.class, () -> client)
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.acquire("order"))
					.withStackTraceContaining("The CuratorFramework of the application is not started");
				client.start();
				await().untilAsserted(() -> locks.acquire("order").close());
			});
	}

	@Test
	void clientOfTheApplicationIsClosedAfterLocksWereReleased() {
		CuratorFramework client = client();
		client.start();
		this.runner.withBean("curator", CuratorFramework.class, () -> client).run((context) -> {
			assertThat(heldAtTheEnd(context, client)).containsExactly("nothing");
			assertThat(client.getState()).isEqualTo(CuratorFrameworkState.STOPPED);
		});
	}

	/**
	 * Holds a lock while the context is closed, and reports what was held when the client
	 * was.
	 */
	private List<String> heldAtTheEnd(AssertableApplicationContext context, CuratorFramework client) {
		List<String> held = new CopyOnWriteArrayList<>();
		client.getCuratorListenable().addListener((from, event) -> {
			if (event.getType() == CuratorEventType.CLOSING) {
				List<String> nodes = heldBelow(this.root);
				held.add(nodes.isEmpty() ? "nothing" : nodes.toString());
			}
		});
		LockOperations locks = context.getBean(LockOperations.class);
		locks.acquire("order", locks.defaultOptions().withWaitTime(Duration.ofSeconds(30)));
		assertThat(heldBelow(this.root)).hasSize(1);
		context.close();
		return held;
	}

	@Test
	void clientOfTheApplicationIsNotClosedByUs() {
		try (CuratorFramework client = client()) {
			client.start();
			this.runner
				.withBean("curator", CuratorFramework.class, () -> client,
						(definition) -> definition.setDestroyMethodName(""))
				.run((context) -> assertThat(
						context.getBean(ZooKeeperLockConfiguration.ZooKeeperLockClient.class).framework())
					.isSameAs(client));
			assertThat(client.getState()).isEqualTo(CuratorFrameworkState.STARTED);
		}
	}

	@Test
	void whenThereIsAConnectStringThenTheClientOfTheApplicationIsLeftAlone() {
		try (CuratorFramework client = client()) {
			this.withServer.withBean("curator", CuratorFramework.class, () -> client)
				.run((context) -> assertThat(
						context.getBean(ZooKeeperLockConfiguration.ZooKeeperLockClient.class).framework())
					.isNotSameAs(client));
		}
	}

	@Test
	void whenThereAreSeveralClientsThenOneMustBeNamed() {
		ApplicationContextRunner several = this.runner
			.withBean("discovery", CuratorFramework.class, ZooKeeperLockConfigurationServerTests::client)
			.withBean("jobs", CuratorFramework.class, ZooKeeperLockConfigurationServerTests::client);
		several.run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("discovery", "jobs");
			assertThat(analysis.getAction()).contains("lock.zookeeper.client");
		});
		several.withPropertyValues("lock.zookeeper.client=jobs")
			.run((context) -> assertThat(
					context.getBean(ZooKeeperLockConfiguration.ZooKeeperLockClient.class).framework())
				.isSameAs(context.getBean("jobs")));
		several.withPropertyValues("lock.zookeeper.client=typo")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("typo"));
	}

	@Test
	void whenClientIsNamedBesideAConnectStringThenThatIsRejected() {
		this.withServer.withBean("jobs", CuratorFramework.class, ZooKeeperLockConfigurationServerTests::client)
			.withPropertyValues("lock.zookeeper.client=jobs")
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("lock.zookeeper.client",
					"lock.zookeeper.connect-string"));
	}

	@Test
	void whenChosenWithoutAClientThenThatIsExplained() {
		this.runner.withPropertyValues("lock.backend=zookeeper").run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("no Curator client");
			assertThat(analysis.getAction()).contains("lock.zookeeper.connect-string");
		});
	}

	@Test
	void whenThereIsADatabaseAsWellThenOneMustBeChosen() {
		ApplicationContextRunner both = this.withServer
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.datasource.generate-unique-name=true");
		both.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains("zookeeper, jdbc"));
		both.withPropertyValues("lock.backend=zookeeper").run((context) -> assertBackends(context, "zookeeper"));
		both.withPropertyValues("lock.backend=jdbc").run((context) -> assertBackends(context, "jdbc"));
		both.withPropertyValues("lock.backend=jdbc", "lock.additional-backends=zookeeper")
			.run((context) -> assertBackends(context, "jdbc", "zookeeper"));
	}

	private static void assertBackends(AssertableApplicationContext context, String... names) {
		assertThat(context).hasNotFailed();
		assertThat(context.getBean(LockTemplate.class).backendNames()).containsExactly(names);
	}

	@Test
	void whenChosenWithoutItsLibraryThenTheDependencyIsNamed() {
		this.withServer.withClassLoader(new FilteredClassLoader("org.apache.curator", "org.apache.zookeeper"))
			.withPropertyValues("lock.backend=zookeeper")
			.run((context) -> assertThat(FailureAnalyses.of(context).getAction())
				.contains("org.apache.curator:curator-framework"));
	}

	@Test
	void whenItsLibraryIsMissingThenOthersWork() {
		this.withServer.withClassLoader(new FilteredClassLoader("org.apache.curator", "org.apache.zookeeper"))
			.withPropertyValues("lock.backend=local")
			.run((context) -> assertBackends(context, "local"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "host:port", "host:99999", ":2181", ",", "zookeeper://host:2181", "host:2181//locks",
			"host:2181/locks/../other", "host:2181/locks/", "user:hidden@host:2181" })
	void connectStringThatIsNoneIsExplained(String connectString) {
		this.runner.withPropertyValues("lock.zookeeper.connect-string=" + connectString).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("lock.zookeeper.connect-string").doesNotContain("hidden");
			assertThat(analysis.getAction()).contains("host:2181,host:2181/path").doesNotContain("hidden");
		});
	}

	/**
	 * As a system property, because analyses look for the value in the environment.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "hidden", ":hidden", "digest:hidden", "digest::hidden" })
	void authThatIsNoneIsExplainedWithoutShowingIt(String auth) {
		this.withServer.withSystemProperties("lock.zookeeper.auth=" + auth).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).contains("lock.zookeeper.auth").doesNotContain("hidden");
			assertThat(analysis.getAction()).contains("digest:user:password").doesNotContain("hidden");
		});
	}

	@Test
	void whenThereIsAuthForTheClientOfTheApplicationThenThatIsRejected() {
		this.runner.withBean("curator", CuratorFramework.class, ZooKeeperLockConfigurationServerTests::client)
			.withPropertyValues("lock.zookeeper.auth=digest:locks:hidden")
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("lock.zookeeper.auth").doesNotContain("hidden");
				assertThat(analysis.getAction()).contains("ACLProvider", "lock.zookeeper.connect-string");
			});
	}

	@Test
	void whenThereIsAuthThenOthersHaveNoAccess() {
		ApplicationContextRunner secured = this.withServer
			.withPropertyValues("lock.zookeeper.auth=digest:locks:pass:word");
		secured.run(ZooKeeperLockConfigurationServerTests::acquireAndRelease);
		assertThatExceptionOfType(KeeperException.NoAuthException.class)
			.isThrownBy(() -> observer.getChildren().forPath(this.root));
		assertThatExceptionOfType(KeeperException.NoAuthException.class)
			.isThrownBy(() -> observer.create().forPath(this.root + "/intruder"));
		secured.run(ZooKeeperLockConfigurationServerTests::acquireAndRelease);
	}

	private static void acquireAndRelease(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed();
		LockOperations locks = context.getBean(LockOperations.class);
		locks.acquire("order", locks.defaultOptions().withWaitTime(Duration.ofSeconds(30))).close();
	}

	@Test
	void whenTheNodesBelongToOthersThenItDoesNotStart() {
		this.withServer.withPropertyValues("lock.zookeeper.auth=digest:locks:password")
			.run((context) -> assertThat(context).hasNotFailed());
		this.withServer.run(this::assertRootIsNamed);
		this.withServer.withPropertyValues("lock.zookeeper.auth=digest:locks:very-wrong").run(this::assertRootIsNamed);
	}

	private void assertRootIsNamed(AssertableApplicationContext context) {
		FailureAnalysis analysis = FailureAnalyses.of(context);
		assertThat(analysis.getDescription()).contains(this.root).doesNotContain("very-wrong");
		assertThat(analysis.getAction()).contains("lock.zookeeper.auth");
	}

	@Test
	void whenTheServersDoNotKnowTheSchemeThenItDoesNotStart() {
		this.withServer.withPropertyValues("lock.zookeeper.auth=nonsense:very-wrong").run(this::assertRootIsNamed);
	}

	@Test
	void whenThePathOfTheConnectStringIsMissingThenItDoesNotStart() {
		String path = "/missing-" + UUID.randomUUID();
		this.runner.withPropertyValues("lock.zookeeper.connect-string=" + server.connectString() + path)
			.run((context) -> assertThat(FailureAnalyses.of(context).getDescription()).contains(this.root, path));
	}

	@Test
	void locksAreBelowThePathOfTheConnectString() throws Exception {
		String path = "/application-" + UUID.randomUUID();
		observer.create().forPath(path);
		this.runner.withPropertyValues("lock.zookeeper.connect-string=" + server.connectString() + path)
			.run((context) -> {
				acquireAndRelease(context);
				assertThat(observer.checkExists().forPath(path + this.root)).isNotNull();
				assertThat(observer.checkExists().forPath(this.root)).isNull();
			});
	}

	@Test
	void sessionTimeoutIsNegotiated() {
		this.withServer.withPropertyValues("lock.zookeeper.session-timeout=7s").run((context) -> {
			acquireAndRelease(context);
			CuratorFramework own = context.getBean(ZooKeeperLockConfiguration.ZooKeeperLockClient.class).framework();
			assertThat(own.getZookeeperClient().getZooKeeper().getSessionTimeout()).isEqualTo(7_000);
		});
	}

	@Test
	void sessionTimeoutThatTheServerDoesNotGiveIsAHealthDetail() {
		try (ZooKeeperServer strict = ZooKeeperServer.builder()
			.sessionTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(5))
			.start()) {
			this.runner
				.withPropertyValues("lock.zookeeper.connect-string=" + strict.connectString(),
						"lock.zookeeper.session-timeout=10s")
				.run((context) -> assertThat(context.getBean(LockHealthIndicator.class).health())
					.satisfies((health) -> {
						assertThat(health.getStatus()).isEqualTo(Status.UP);
						assertThat(health.getDetails().get("warnings")).asString().contains("5000 ms", "10000 ms");
					}));
		}
	}

	@Test
	void whenServerIsDownAtStartThenItStartsAndRecovers() {
		try (ZooKeeperServer late = ZooKeeperServer.start()) {
			late.stop();
			this.runner
				.withPropertyValues("lock.zookeeper.connect-string=" + late.connectString(),
						"lock.operation-timeout=300ms")
				.run((context) -> {
					assertDown(context);
					late.restart();
					await().atMost(Duration.ofMinutes(1))
						.ignoreExceptions()
						.untilAsserted(() -> acquireAndRelease(context));
					LockHealthIndicator indicator = context.getBean(LockHealthIndicator.class);
					await().untilAsserted(() -> assertThat(indicator.health().getStatus()).isEqualTo(Status.UP));
				});
		}
	}

	private static void assertDown(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed();
		assertThat(context.getBean(LockHealthIndicator.class).health().getStatus()).isEqualTo(Status.DOWN);
		LockOperations locks = context.getBean(LockOperations.class);
		LockOptions options = locks.defaultOptions().withWaitTime(Duration.ofMillis(100));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locks.acquire("order", options));
	}

	@Test
	void whenServerIsDownAndFailFastIsSetThenItDoesNotStart() {
		this.runner
			.withPropertyValues("lock.zookeeper.connect-string=127.0.0.1:1", "lock.operation-timeout=300ms",
					"lock.fail-fast=true")
			.run((context) -> {
				FailureAnalysis analysis = FailureAnalyses.of(context);
				assertThat(analysis.getDescription()).contains("'zookeeper' is unavailable");
				assertThat(analysis.getAction()).contains("lock.fail-fast");
			});
	}

	@Test
	void whenContextIsClosedThenNoThreadIsLeft() {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		for (int i = 0; i < 5; i++) {
			this.withServer.run(ZooKeeperLockConfigurationServerTests::acquireAndRelease);
		}
		await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
			Set<Thread> more = new HashSet<>(Thread.getAllStackTraces().keySet());
			more.removeAll(before);
			assertThat(more).extracting(Thread::getName)
				.noneMatch((name) -> name.startsWith("lock-") || name.startsWith("Curator")
						|| name.contains("-SendThread(") || name.endsWith("-EventThread"));
		});
	}

}
