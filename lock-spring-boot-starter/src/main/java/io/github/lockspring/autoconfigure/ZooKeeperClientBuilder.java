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

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.data.ACL;
import org.springframework.util.StringUtils;

import io.github.lockspring.spi.LockConfigurationException;

/**
 * Builder of a dedicated client.
 *
 * @param properties the properties, with a connect string; validated except for the
 * checks that require classes of ZooKeeper
 */
record ZooKeeperClientBuilder(ZooKeeperLockProperties properties) {

	/**
	 * Build a client, which is not started.
	 */
	CuratorFramework build() {
		Duration timeout = this.properties.getConnectionTimeout();
		Duration sessionTimeout = this.properties.getSessionTimeout();
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(connectString())
			.ensembleTracker(false) // the servers are those that are named
			.sessionTimeoutMs(millis(sessionTimeout))
			.connectionTimeoutMs(millis((timeout != null) ? timeout : sessionTimeout.dividedBy(2)))
			.retryPolicy(retryPolicy());
		if (this.properties.getAuth() != null) {
			authorize(builder, this.properties.getAuth());
		}
		return builder.build();
	}

	private String connectString() {
		String servers = this.properties.getConnectString();
		if (servers == null || !isConnectString(servers)) {
			// what is not an address may contain a password
			throw new LockConfigurationException("The property lock.zookeeper.connect-string is not a list of servers.",
					"Set it to the form host:2181,host:2181 or host:2181,host:2181/path. "
							+ "A user and a password are set with lock.zookeeper.auth.");
		}
		return servers;
	}

	private static boolean isConnectString(String servers) {
		if (servers.indexOf('@') >= 0) {
			return false;
		}
		try {
			List<InetSocketAddress> addresses = new ConnectStringParser(servers).getServerAddresses();
			return !addresses.isEmpty()
					&& addresses.stream().allMatch((address) -> StringUtils.hasText(address.getHostString()));
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

	private RetryPolicy retryPolicy() {
		ZooKeeperLockProperties.Retry retry = this.properties.getRetry();
		return new BoundedExponentialBackoffRetry(millis(retry.getBaseSleep()), millis(retry.getMaxSleep()),
				retry.getMaxRetries());
	}

	private static int millis(Duration duration) {
		return Math.toIntExact(duration.toMillis());
	}

	private static void authorize(CuratorFrameworkFactory.Builder builder, String auth) {
		int colon = auth.indexOf(':');
		String scheme = auth.substring(0, Math.max(colon, 0));
		String data = auth.substring(colon + 1);
		if (!StringUtils.hasText(scheme) || data.isEmpty() || (scheme.equals("digest") && data.indexOf(':') <= 0)) {
			// the value is a secret
			throw new LockConfigurationException("The property lock.zookeeper.auth does not have the form scheme:data.",
					"Set it to a scheme and its data, such as digest:user:password.");
		}
		builder.authorization(scheme, data.getBytes(StandardCharsets.UTF_8)).aclProvider(new CreatorOnly());
	}

	/**
	 * {@link ACLProvider} that restricts access to the creator of a node.
	 */
	private static final class CreatorOnly implements ACLProvider {

		@Override
		public List<ACL> getDefaultAcl() {
			return ZooDefs.Ids.CREATOR_ALL_ACL;
		}

		@Override
		public List<ACL> getAclForPath(String path) {
			return ZooDefs.Ids.CREATOR_ALL_ACL;
		}

	}

}
