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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;

import io.github.lockspring.spi.BackendUnavailableException;

/**
 * Prepares sessions: creates the root unless it exists, and reads the ACL of the root,
 * which is applied to all other nodes.
 */
final class SessionPreparation {

	private final CuratorFramework client;

	private final LockPaths paths;

	SessionPreparation(CuratorFramework client, LockPaths paths) {
		this.client = client;
		this.paths = paths;
	}

	/**
	 * Prepare the session of a connected handle.
	 */
	CompletableFuture<Session> prepare(ZooKeeper zooKeeper) {
		long sent = System.nanoTime();
		return CompletableFuture.completedFuture(zooKeeper)
			.thenCompose(this::findTop)
			.thenCompose((found) -> createRoot())
			.thenCompose((code) -> {
				if (code != Code.OK.intValue() && code != Code.NODEEXISTS.intValue()) {
					throw new CompletionException(KeeperException.create(Code.get(code), this.paths.root()));
				}
				return readAcl(zooKeeper);
			})
			.thenApply((acl) -> new Session(zooKeeper, this.paths, checked(acl), sent));
	}

	/**
	 * Check that the node at the end of the connect string exists, because Curator would
	 * try to create nodes below a missing one again and again.
	 */
	private CompletableFuture<Stat> findTop(ZooKeeper zooKeeper) {
		CompletableFuture<Stat> answer = new CompletableFuture<>();
		zooKeeper.exists("/", false, (code, path, context, stat) -> Answers.complete(answer, code, path, stat), null);
		return answer;
	}

	private CompletableFuture<Integer> createRoot() {
		CompletableFuture<Integer> created = new CompletableFuture<>();
		try {
			this.client.create()
				.creatingParentsIfNeeded()
				.inBackground((client, event) -> created.complete(event.getResultCode()))
				.forPath(this.paths.relativeRoot());
		}
		catch (Exception ex) {
			created.completeExceptionally(ex);
		}
		return created;
	}

	private CompletableFuture<List<ACL>> readAcl(ZooKeeper zooKeeper) {
		CompletableFuture<List<ACL>> answer = new CompletableFuture<>();
		zooKeeper.getACL(this.paths.root(), new Stat(),
				(code, path, context, acl, stat) -> Answers.complete(answer, code, this.paths.root(), acl), null);
		return answer;
	}

	/**
	 * Reject an ACL with users that the servers hide from this client, because these
	 * users could not use the nodes that it creates.
	 */
	private List<ACL> checked(List<ACL> acl) {
		if (acl.stream().anyMatch((entry) -> isHidden(entry.getId()))) {
			throw new ZooKeeperLockSetupException(
					"ZooKeeper does not permit reading the ACL of '" + this.paths.root()
							+ "', which is applied to all lock nodes: grant the client the ADMIN permission there",
					null);
		}
		return acl;
	}

	private static boolean isHidden(Id id) {
		return id.getScheme().equals("digest") && id.getId().endsWith(":x");
	}

	/**
	 * Return the exception to throw for a failure of the preparation.
	 */
	RuntimeException explain(Throwable failure) {
		Throwable cause = Answers.cause(failure);
		if (cause instanceof ZooKeeperLockSetupException known) {
			return known;
		}
		String root = this.paths.root();
		if (cause instanceof KeeperException.NoNodeException) {
			return new ZooKeeperLockSetupException("ZooKeeper has no node in which '" + root
					+ "' could be created: create the path at the end of the connect string '"
					+ this.client.getZookeeperClient().getCurrentConnectionString() + "'", cause);
		}
		if (cause instanceof KeeperException.NoAuthException) {
			return new ZooKeeperLockSetupException("ZooKeeper does not permit creating or reading '" + root
					+ "': set lock.zookeeper.auth, or grant the client the CREATE permission there", cause);
		}
		if (cause instanceof KeeperException.InvalidACLException
				|| cause instanceof KeeperException.AuthFailedException) {
			return new ZooKeeperLockSetupException(
					"ZooKeeper does not accept the credentials or the ACL of '" + root + "': check lock.zookeeper.auth",
					cause);
		}
		return new BackendUnavailableException("ZooKeeper cannot be used: " + cause.getMessage(), cause);
	}

}
