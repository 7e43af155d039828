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

package io.github.lockspring.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.Torture;
import io.github.lockspring.server.ZooKeeperEnsemble;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.ValueChange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Who may do what with the nodes of {@link ZooKeeperLockBackend}, and what happens if
 * there is no server, or one that does not let us have locks.
 */
class ZooKeeperSetupServerTests {

	private static ZooKeeperServer server;

	private final String namespace = "lock-" + System.nanoTime();

	private final String root = '/' + this.namespace;

	private final ZooKeeperLockSettings impatient = new ZooKeeperLockSettings(this.namespace, Duration.ofMillis(200));

	private final ZooKeeperLockSettings patient = new ZooKeeperLockSettings(this.namespace, ZooKeeperProcess.TIMEOUT);

	private final List<AutoCloseable> resources = new ArrayList<>();

	private CuratorFramework admin;

	@BeforeAll
	static void startServer() {
		server = ZooKeeperServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@BeforeEach
	void startAdmin() throws Exception {
		this.admin = add(client(server.connectString(), "admin"));
		this.admin.start();
	}

	@AfterEach
	void close() throws Exception {
		for (int i = this.resources.size() - 1; i >= 0; i--) {
			this.resources.get(i).close();
		}
	}

	private <T extends AutoCloseable> T add(T resource) {
		this.resources.add(resource);
		return resource;
	}

	/**
	 * A client that proves to be a user, and gives only that user rights on its nodes.
	 */
	private static CuratorFramework client(String connectString, String user) {
		return CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.retryPolicy(new RetryOneTime(1))
			.authorization("digest", (user + ":secret").getBytes(StandardCharsets.UTF_8))
			.aclProvider(new CreatorOnly())
			.build();
	}

	private ZooKeeperProcess process(CuratorFramework client) {
		return process(client, this.namespace);
	}

	private ZooKeeperProcess process(CuratorFramework client, String namespace) {
		return add(new ZooKeeperProcess(add(client), new ZooKeeperLockSettings(namespace, ZooKeeperProcess.TIMEOUT)));
	}

	private static ACL acl(int perms, String user) throws Exception {
		return new ACL(perms, new Id("digest", DigestAuthenticationProvider.generateDigest(user + ":secret")));
	}

	@Test
	void allNodesHaveTheAclOfTheRoot() throws Exception {
		ZooKeeperProcess process = process(client(server.connectString(), "app"));
		process.acquire("key");
		process.acquire(process.request(List.of("one", "two")));
		LeaseRequest writer = process.acquire("stepped-down");
		process.backend.downgrade(writer, process.request("stepped-down", LeaseMode.SHARED), ZooKeeperProcess.TIMEOUT);
		process.backend.releaseWithDelay(process.acquire("placeholder"), Duration.ofHours(1), ZooKeeperProcess.TIMEOUT);
		process.apply("value", new ValueChange.Set(1, 0));
		process.apply("deleted", new ValueChange.Set(1, 0));
		process.apply("deleted", new ValueChange.Delete(ValueChange.ANY_VERSION));
		ZooKeeper zooKeeper = process.client.getZookeeperClient().getZooKeeper();
		List<String> nodes = ZKUtil.listSubTreeBFS(zooKeeper, this.root);
		assertThat(nodes).hasSize(18);
		for (String node : nodes) {
			assertThat(process.client.getACL().forPath(node)).as(node).containsExactly(acl(Perms.ALL, "app"));
		}
	}

	@Test
	void rootThatIsOpenToStrangersIsWarnedOf() throws Exception {
		this.admin.create().withACL(Ids.OPEN_ACL_UNSAFE).forPath(this.root);
		ZooKeeperLockSettings exclusive = new ZooKeeperLockSettings(this.namespace, ZooKeeperProcess.TIMEOUT, null,
				true, true);
		ZooKeeperProcess process = add(new ZooKeeperProcess(add(client(server.connectString(), "app")), exclusive));
		assertThat(process.backend.warnings()).singleElement()
			.asString()
			.contains("'" + this.root + "'", "lock.zookeeper.namespace");
		this.admin.setACL().withACL(List.of(acl(Perms.ALL, "app"))).forPath(this.root);
		ZooKeeperProcess restricted = add(new ZooKeeperProcess(add(client(server.connectString(), "app")), exclusive));
		assertThat(restricted.backend.warnings()).isEmpty();
	}

	@Test
	void clientWithoutTheRightsCannotStart() throws Exception {
		process(client(server.connectString(), "admin"));
		assertCannotStart(backend(client(server.connectString(), "other"))).withMessageContaining("'" + this.root + "'")
			.withMessageContaining("lock.zookeeper.auth");
	}

	private ZooKeeperLockBackend backend(CuratorFramework client) {
		return add(new ZooKeeperLockBackend(add(client), this.patient));
	}

	private ThrowableAssertAlternative<?> assertCannotStart(ZooKeeperLockBackend backend) {
		ZooKeeperProcess listener = process(Clients.create(server.connectString()), "listener");
		return assertThatExceptionOfType(ZooKeeperLockSetupException.class).isThrownBy(() -> backend.start(listener));
	}

	@Test
	void rightsThatAreGivenLaterAreUsed() throws Exception {
		ZooKeeperProcess process = process(client(server.connectString(), "admin"));
		ZooKeeperLockBackend backend = backend(client(server.connectString(), "other"));
		assertCannotStart(backend);
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.tryAcquire(process.request("key"), ZooKeeperProcess.TIMEOUT))
			.withMessageContaining("'" + this.root + "'")
			.withCauseInstanceOf(ZooKeeperLockSetupException.class);
		this.admin.setACL().withACL(Ids.OPEN_ACL_UNSAFE).forPath(this.root);
		assertThat(backend.tryAcquire(process.request("key"), ZooKeeperProcess.TIMEOUT)).isInstanceOf(Grant.class);
	}

	@Test
	void clientThatMayOnlyReadCannotAcquire() throws Exception {
		this.admin.create().withACL(Ids.READ_ACL_UNSAFE).forPath(this.root);
		ZooKeeperProcess process = process(client(server.connectString(), "app"));
		LeaseRequest request = process.request("key");
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> process.tryAcquire(request))
			.withMessageContaining("NoAuth")
			.withMessageContaining(this.root);
		ZooKeeperProcess.await().until(process.backend::isEmpty);
	}

	@Test
	void clientThatMayNotChangeNodesOfKeysAcquires() throws Exception {
		this.admin.create().withACL(List.of(acl(Perms.ALL & ~Perms.WRITE, "app"))).forPath(this.root);
		ZooKeeperProcess process = process(client(server.connectString(), "app"));
		for (int i = 0; i < 3; i++) {
			LeaseRequest lease = process.acquire("key");
			LeaseRequest waiter = process.queue(process.request("key"));
			assertThat(process.release(lease)).isTrue();
			assertThat(process.nextGranted()).isEqualTo(waiter);
			assertThat(process.release(waiter)).isTrue();
			LeaseRequest several = process.acquire(process.request(List.of("one", "two")));
			assertThat(process.renews(several)).isTrue();
			assertThat(process.release(several)).isTrue();
		}
		ZooKeeperProcess.await().until(process.backend::isEmpty);
	}

	/**
	 * To read the clock of the server, one must change a node.
	 */
	@Test
	void clientThatMayNotChangeNodesOfKeysLeavesNothingBehindAPlaceholderNode() throws Exception {
		this.admin.create()
			.withACL(List.of(acl(Perms.ALL, "admin"), acl(Perms.ALL & ~Perms.WRITE, "app")))
			.forPath(this.root);
		ZooKeeperProcess holder = process(client(server.connectString(), "admin"));
		holder.backend.releaseWithDelay(holder.acquire("key"), Duration.ofHours(1), ZooKeeperProcess.TIMEOUT);
		ZooKeeperProcess process = process(client(server.connectString(), "app"));
		LeaseRequest request = process.request("key");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> process.backend.contend(request, ZooKeeperProcess.TIMEOUT))
			.withMessageContaining("NoAuth");
		ZooKeeperProcess.await().until(() -> this.admin.getChildren().forPath(this.root + "/key").size() == 1);
		ZooKeeperProcess.await().until(process.backend::isEmpty);
	}

	/**
	 * The server hides passwords of others, and of ourselves, from those who may not
	 * change the list: nodes with such a list would be of no use to anyone.
	 */
	@Test
	void clientThatMayNotSeeTheAclCannotStart() throws Exception {
		int most = Perms.ALL & ~Perms.ADMIN;
		this.admin.create().withACL(List.of(acl(most, "app"), acl(Perms.ALL, "admin"))).forPath(this.root);
		assertCannotStart(backend(client(server.connectString(), "app"))).withMessageContaining("'" + this.root + "'")
			.withMessageContaining("ADMIN");
	}

	/**
	 * No one is notified of the rejection after it has happened.
	 */
	@Test
	void clientThatWasRejectedBeforeCannotStart() {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(server.connectString())
			.retryPolicy(new RetryOneTime(1))
			.authorization("nonsense", new byte[1])
			.build();
		client.start();
		ZooKeeperProcess.await()
			.until(() -> client.getZookeeperClient().getZooKeeper().getState() == States.AUTH_FAILED
					&& !client.getZookeeperClient().isConnected());
		assertCannotStart(backend(client)).withMessageContaining("'" + this.root + "'")
			.withMessageContaining("lock.zookeeper.auth");
	}

	@Test
	void chrootThatIsMissingIsNamed() throws Exception {
		ZooKeeperLockBackend backend = backend(Clients.create(server.connectString() + "/missing"));
		ZooKeeperProcess other = process(client(server.connectString(), "admin"));
		assertCannotStart(backend).withMessageContaining("'" + this.root + "'").withMessageContaining("/missing'");
		other.client.create().withACL(Ids.OPEN_ACL_UNSAFE).forPath("/missing");
		assertThat(backend.tryAcquire(other.request("key"), ZooKeeperProcess.TIMEOUT)).isInstanceOf(Grant.class);
		assertThat(other.client.getChildren().forPath("/missing" + this.root)).containsExactly("key");
	}

	@Test
	void serverThatComesLaterIsUsed() {
		FaultProxy proxy = add(FaultProxy.zooKeeper(server.host(), server.port()));
		proxy.refuse();
		CuratorFramework client = add(Clients.create(proxy.host() + ":" + proxy.port()));
		ZooKeeperProcess process = add(new ZooKeeperProcess(client, this.impatient));
		LeaseRequest request = process.request("key");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> process.backend.tryAcquire(request, Duration.ofMillis(100)));
		proxy.heal();
		assertThat(process.tryAcquire(request)).isInstanceOf(Grant.class);
		assertThat(process.release(request)).isTrue();
	}

	@Test
	@Torture(alsoIn = "ZooKeeperSetupServerTests#serverThatComesLaterIsUsed")
	void quorumThatComesLaterIsUsed() {
		ZooKeeperEnsemble ensemble = add(ZooKeeperEnsemble.start());
		ensemble.loseQuorum();
		CuratorFramework client = add(Clients.create(ensemble.connectString()));
		ZooKeeperProcess process = add(new ZooKeeperProcess(client, this.impatient));
		LeaseRequest request = process.request("key");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> process.backend.tryAcquire(request, Duration.ofMillis(100)));
		ensemble.regainQuorum();
		assertThat(process.tryAcquire(request)).isInstanceOf(Grant.class);
		assertThat(process.release(request)).isTrue();
	}

	/**
	 * All rights for the user who creates a node, and none for others.
	 */
	private static final class CreatorOnly implements ACLProvider {

		@Override
		public List<ACL> getDefaultAcl() {
			return Ids.CREATOR_ALL_ACL;
		}

		@Override
		public List<ACL> getAclForPath(String path) {
			return Ids.CREATOR_ALL_ACL;
		}

	}

}
