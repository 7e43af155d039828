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

package io.github.lockspring.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A Redis master with two replicas and three sentinels that watch them.
 */
public final class RedisSentinels implements AutoCloseable {

	/**
	 * The name of the master in the configuration of the sentinels.
	 */
	public static final String MASTER_NAME = "mymaster";

	private static final int REPLICAS = 2;

	private static final int SENTINELS = 3;

	private final List<RedisServer> servers = new ArrayList<>();

	private final List<RedisServer> sentinels = new ArrayList<>();

	private RedisSentinels() {
	}

	/**
	 * Start servers and sentinels, and wait until they are ready.
	 * @return the running servers
	 */
	public static RedisSentinels start() {
		RedisSentinels sentinels = new RedisSentinels();
		try {
			sentinels.startServers();
			sentinels.startSentinels();
			sentinels.awaitReady();
			return sentinels;
		}
		catch (RuntimeException ex) {
			sentinels.close();
			throw ex;
		}
	}

	private void startServers() {
		RedisServer master = RedisServer.start();
		this.servers.add(master);
		for (int i = 0; i < REPLICAS; i++) {
			this.servers.add(RedisServer.builder().option("replicaof", "127.0.0.1 " + master.port()).start());
		}
		Await.until("the replicas are connected", () -> replicasAreConnected(master));
	}

	private void startSentinels() {
		String lines = """
				sentinel monitor %1$s 127.0.0.1 %2$d 2
				sentinel down-after-milliseconds %1$s 500
				sentinel failover-timeout %1$s 2000
				""".formatted(MASTER_NAME, this.servers.get(0).port());
		for (int i = 0; i < SENTINELS; i++) {
			this.sentinels.add(RedisServer.builder().sentinel(lines).start());
		}
	}

	/**
	 * Wait until all servers run, the sentinels agree on the master and know each other,
	 * and the replicas follow that master. After a failover this takes some ten seconds:
	 * until the sentinels have reconfigured the former master.
	 */
	public void awaitReady() {
		Await.until("the sentinels are ready", this::isReady);
	}

	private boolean isReady() {
		int port = agreedPort();
		return port != 0 && this.sentinels.stream().allMatch(this::knowsAll) && replicasAreConnected(server(port));
	}

	private boolean knowsAll(RedisServer sentinel) {
		List<?> fields = (List<?>) reply(sentinel, "SENTINEL", "MASTER", MASTER_NAME);
		return "master".equals(field(fields, "flags")) && field(fields, "num-slaves").equals("" + REPLICAS)
				&& field(fields, "num-other-sentinels").equals("" + (SENTINELS - 1))
				&& allAre("slave", reply(sentinel, "SENTINEL", "REPLICAS", MASTER_NAME))
				&& allAre("sentinel", reply(sentinel, "SENTINEL", "SENTINELS", MASTER_NAME));
	}

	private static boolean allAre(String flags, Object reply) {
		return ((List<?>) reply).stream().allMatch((entry) -> field((List<?>) entry, "flags").equals(flags));
	}

	private static String field(List<?> fields, String name) {
		return String.valueOf(fields.get(fields.indexOf(name) + 1));
	}

	private static boolean replicasAreConnected(RedisServer master) {
		Map<String, String> info = master.info("replication");
		return info.get("role").equals("master") && Stream.of("slave0", "slave1")
			.allMatch((replica) -> info.getOrDefault(replica, "").contains("state=online"));
	}

	private int agreedPort() {
		List<Object> addresses = this.sentinels.stream()
			.map((sentinel) -> reply(sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME))
			.distinct()
			.toList();
		return (addresses.size() == 1) ? Integer.parseInt(((List<?>) addresses.get(0)).get(1).toString()) : 0;
	}

	private static Object reply(RedisServer server, String... command) {
		Object reply = server.command(command);
		if (reply == null) {
			throw new IllegalStateException("No reply from port " + server.port());
		}
		return reply;
	}

	private RedisServer server(int port) {
		return this.servers.stream().filter((server) -> server.port() == port).findFirst().orElseThrow();
	}

	/**
	 * Return the server that the sentinels name as the master, waiting until they agree.
	 * @return the master
	 */
	public RedisServer master() {
		Await.until("the sentinels agree on a master", () -> agreedPort() != 0);
		return server(agreedPort());
	}

	/**
	 * Return the other servers.
	 * @return the replicas, and former masters
	 */
	public List<RedisServer> replicas() {
		RedisServer master = master();
		return this.servers.stream().filter((server) -> server != master).toList();
	}

	/**
	 * Return the servers that the sentinels watch.
	 * @return the master and the others
	 */
	public List<RedisServer> servers() {
		return List.copyOf(this.servers);
	}

	/**
	 * Return the sentinels.
	 * @return the sentinels
	 */
	public List<RedisServer> sentinels() {
		return List.copyOf(this.sentinels);
	}

	/**
	 * Return the addresses of the sentinels, as clients want them.
	 * @return host and port of each
	 */
	public List<String> sentinelAddresses() {
		return this.sentinels.stream().map((sentinel) -> sentinel.host() + ":" + sentinel.port()).toList();
	}

	/**
	 * Instruct the sentinels to make a replica the master, and wait until it is.
	 * @return the new master
	 */
	public RedisServer failOver() {
		RedisServer former = master();
		Await.until("the sentinels start the failover", () -> startFailover());
		return awaitSuccessor(former);
	}

	private boolean startFailover() {
		try {
			return this.sentinels.get(0).command("SENTINEL", "FAILOVER", MASTER_NAME) != null;
		}
		catch (RedisErrorException ex) {
			return ex.is("INPROG");
		}
	}

	/**
	 * Kill the master, and wait until a replica has taken its place.
	 * @return the new master
	 */
	public RedisServer failOverByKill() {
		RedisServer former = master();
		former.kill();
		return awaitSuccessor(former);
	}

	/**
	 * Pause the master, and wait until a replica has taken its place. When the former
	 * master is resumed, it takes writes for some seconds, until the sentinels have
	 * reconfigured it.
	 * @return the new master
	 */
	public RedisServer failOverByPause() {
		RedisServer former = master();
		former.pause();
		return awaitSuccessor(former);
	}

	private RedisServer awaitSuccessor(RedisServer former) {
		Await.until("a replica is the master", () -> isSucceeded(former));
		return master();
	}

	private boolean isSucceeded(RedisServer former) {
		int port = agreedPort();
		return port != 0 && port != former.port() && server(port).info("replication").get("role").equals("master");
	}

	/**
	 * Kill all processes.
	 */
	@Override
	public void close() {
		this.sentinels.forEach(RedisServer::close);
		this.servers.forEach(RedisServer::close);
	}

}
