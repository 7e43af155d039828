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
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.ZooKeeperEnsemble;
import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Who may do what with the nodes of {@link ZooKeeperLockBackend}, and what happens if
 * there is no server, or one that does not let us have locks.
 */
class ZooKeeperSetupTests {

	private static final ZooKeeperLockSettings IMPATIENT = new ZooKeeperLockSettings("lock", Duration.ofMillis(200));

	private static final ZooKeeperLockSettings PATIENT = new ZooKeeperLockSettings("lock", ZooKeeperProcess.TIMEOUT);

	private static ZooKeeperServer server;

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
		delete("/lock");
		delete("/missing");
	}

	private void delete(String path) throws Exception {
		ZooKeeper zooKeeper = this.admin.getZookeeperClient().getZooKeeper();
		if (zooKeeper.exists(path, false) != null) {
			zooKeeper.setACL(path, Ids.OPEN_ACL_UNSAFE, -1);
			ZKUtil.deleteRecursive(zooKeeper, path);
		}
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
		return add(new ZooKeeperProcess(add(client), PATIENT));
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
		process.backend.stepDown(writer, process.request("stepped-down", LeaseMode.SHARED), ZooKeeperProcess.TIMEOUT);
		process.backend.releaseAfter(process.acquire("resting"), Duration.ofHours(1), ZooKeeperProcess.TIMEOUT);
		ZooKeeper zooKeeper = process.client.getZookeeperClient().getZooKeeper();
		List<String> nodes = ZKUtil.listSubTreeBFS(zooKeeper, "/lock");
		assertThat(nodes).hasSize(11);
		for (String node : nodes) {
			assertThat(process.client.getACL().forPath(node)).as(node).containsExactly(acl(Perms.ALL, "app"));
		}
		zooKeeper.setACL("/lock", Ids.OPEN_ACL_UNSAFE, -1);
		ZKUtil.deleteRecursive(zooKeeper, "/lock");
	}

	@Test
	void clientWithoutTheRightsCannotStart() throws Exception {
		process(client(server.connectString(), "admin")).acquire("key");
		CuratorFramework other = add(client(server.connectString(), "other"));
		ZooKeeperLockBackend backend = new ZooKeeperLockBackend(other, PATIENT);
		assertThatExceptionOfType(ZooKeeperLockSetupException.class)
			.isThrownBy(() -> backend.start(process(client(server.connectString(), "admin"))))
			.withMessageContaining("'/lock'")
			.withMessageContaining("lock.zookeeper.auth");
	}

	@Test
	void rightsThatAreGivenLaterAreUsed() throws Exception {
		ZooKeeperProcess process = process(client(server.connectString(), "admin"));
		CuratorFramework other = add(client(server.connectString(), "other"));
		ZooKeeperLockBackend backend = add(new ZooKeeperLockBackend(other, PATIENT));
		assertThatExceptionOfType(ZooKeeperLockSetupException.class).isThrownBy(() -> backend.start(process));
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> backend.tryAcquire(process.request("key"), ZooKeeperProcess.TIMEOUT))
			.withMessageContaining("'/lock'")
			.withCauseInstanceOf(ZooKeeperLockSetupException.class);
		this.admin.setACL().withACL(Ids.OPEN_ACL_UNSAFE).forPath("/lock");
		assertThat(backend.tryAcquire(process.request("key"), ZooKeeperProcess.TIMEOUT)).isInstanceOf(Grant.class);
	}

	@Test
	void clientThatMayOnlyReadCannotAcquire() throws Exception {
		this.admin.create()
			.withACL(List.of(new ACL(Perms.READ, Ids.ANYONE_ID_UNSAFE), acl(Perms.ALL, "admin")))
			.forPath("/lock");
		this.admin.setACL().withACL(Ids.READ_ACL_UNSAFE).forPath("/lock");
		ZooKeeperProcess process = process(client(server.connectString(), "app"));
		LeaseRequest request = process.request("key");
		assertThatExceptionOfType(BackendUnavailableException.class).isThrownBy(() -> process.tryAcquire(request))
			.withMessageContaining("NoAuth")
			.withMessageContaining("/lock");
		ZooKeeperProcess.await().until(process.backend::isEmpty);
	}

	/**
	 * The server hides passwords of others, and of ourselves, from those who may not
	 * change the list: nodes with such a list would be of no use to anybody.
	 */
	@Test
	void clientThatMayNotSeeTheAclCannotStart() throws Exception {
		int most = Perms.ALL & ~Perms.ADMIN;
		this.admin.create().withACL(List.of(acl(most, "app"), acl(Perms.ALL, "admin"))).forPath("/lock");
		CuratorFramework client = add(client(server.connectString(), "app"));
		ZooKeeperLockBackend backend = add(new ZooKeeperLockBackend(client, PATIENT));
		assertThatExceptionOfType(ZooKeeperLockSetupException.class).isThrownBy(() -> backend.start(null))
			.withMessageContaining("'/lock'")
			.withMessageContaining("ADMIN");
	}

	@Test
	void chrootThatIsMissingIsNamed() throws Exception {
		CuratorFramework client = add(Clients.create(server.connectString() + "/missing"));
		ZooKeeperLockBackend backend = add(new ZooKeeperLockBackend(client, PATIENT));
		ZooKeeperProcess other = process(client(server.connectString(), "admin"));
		assertThatExceptionOfType(ZooKeeperLockSetupException.class).isThrownBy(() -> backend.start(other))
			.withMessageContaining("'/lock'")
			.withMessageContaining("create the chroot");
		other.client.create().withACL(Ids.OPEN_ACL_UNSAFE).forPath("/missing");
		assertThat(backend.tryAcquire(other.request("key"), ZooKeeperProcess.TIMEOUT)).isInstanceOf(Grant.class);
		assertThat(other.client.getChildren().forPath("/missing/lock")).containsExactly("key");
	}

	@Test
	void serverThatComesLaterIsUsed() {
		FaultProxy proxy = add(FaultProxy.zooKeeper(server.host(), server.port()));
		proxy.refuse();
		CuratorFramework client = add(Clients.create(proxy.host() + ":" + proxy.port()));
		ZooKeeperProcess process = add(new ZooKeeperProcess(client, IMPATIENT));
		LeaseRequest request = process.request("key");
		assertThatExceptionOfType(BackendUnavailableException.class)
			.isThrownBy(() -> process.backend.tryAcquire(request, Duration.ofMillis(100)));
		proxy.heal();
		assertThat(process.tryAcquire(request)).isInstanceOf(Grant.class);
		assertThat(process.release(request)).isTrue();
	}

	@Test
	void quorumThatComesLaterIsUsed() {
		ZooKeeperEnsemble ensemble = add(ZooKeeperEnsemble.start());
		ensemble.loseQuorum();
		CuratorFramework client = add(Clients.create(ensemble.connectString()));
		ZooKeeperProcess process = add(new ZooKeeperProcess(client, IMPATIENT));
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
