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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Three ZooKeeper servers, of which one is the leader, and a proxy before each for the
 * connections of clients.
 */
public final class ZooKeeperEnsemble implements AutoCloseable {

	private static final int SERVERS = 3;

	private final List<ZooKeeperServer> servers = new ArrayList<>();

	private final List<FaultProxy> proxies = new ArrayList<>();

	private ZooKeeperEnsemble() {
	}

	/**
	 * Start the servers, and wait until they are ready.
	 * @return the running servers
	 */
	public static ZooKeeperEnsemble start() {
		return start((builder) -> builder);
	}

	/**
	 * Start servers with options, and wait until they are ready.
	 * @param options sets the options of each
	 * @return the running servers
	 */
	public static ZooKeeperEnsemble start(UnaryOperator<ZooKeeperServer.Builder> options) {
		ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble();
		try {
			ensemble.launch(options);
			ensemble.awaitReady();
			return ensemble;
		}
		catch (RuntimeException ex) {
			ensemble.close();
			throw ex;
		}
	}

	private void launch(UnaryOperator<ZooKeeperServer.Builder> options) {
		Map<Integer, String> addresses = new LinkedHashMap<>();
		for (int id = 1; id <= SERVERS; id++) {
			addresses.put(id, "127.0.0.1:" + FreePorts.next() + ":" + FreePorts.next());
		}
		for (int id : addresses.keySet()) {
			ZooKeeperServer server = options.apply(ZooKeeperServer.builder()).member(id, addresses).launch();
			this.servers.add(server);
			this.proxies.add(FaultProxy.zooKeeper(server.host(), server.port()));
		}
	}

	private void awaitReady() {
		this.servers.forEach(ZooKeeperServer::awaitAnswer);
		awaitQuorum();
	}

	/**
	 * Wait until those servers that run, and do not stand still, are a leader and its
	 * followers, and are a majority.
	 */
	public void awaitQuorum() {
		awaitStates();
	}

	private Map<ZooKeeperServer, String> awaitStates() {
		Map<ZooKeeperServer, String> states = new LinkedHashMap<>();
		Await.until("the servers have a quorum", () -> {
			states.clear();
			this.servers.stream()
				.filter(ZooKeeperServer::isAvailable)
				.forEach((server) -> states.put(server, server.state()));
			return isQuorum(states.values().stream().sorted().toList());
		});
		return states;
	}

	private static boolean isQuorum(List<String> states) {
		return states.equals(List.of("follower", "leader")) || states.equals(List.of("follower", "follower", "leader"));
	}

	private List<ZooKeeperServer> awaitServers(String state) {
		Map<ZooKeeperServer, String> states = awaitStates();
		return states.keySet().stream().filter((server) -> state.equals(states.get(server))).toList();
	}

	/**
	 * Return the leader, waiting until there is a quorum.
	 * @return the leader
	 */
	public ZooKeeperServer leader() {
		return awaitServers("leader").get(0);
	}

	/**
	 * Return the servers that follow the leader, waiting until there is a quorum.
	 * @return the followers
	 */
	public List<ZooKeeperServer> followers() {
		return awaitServers("follower");
	}

	/**
	 * Return the servers.
	 * @return all servers, running or not
	 */
	public List<ZooKeeperServer> servers() {
		return List.copyOf(this.servers);
	}

	/**
	 * Return the proxy before a server.
	 * @param server the server
	 * @return its proxy
	 */
	public FaultProxy proxy(ZooKeeperServer server) {
		return this.proxies.get(this.servers.indexOf(server));
	}

	/**
	 * Return the proxies.
	 * @return the proxies, in the order of the servers
	 */
	public List<FaultProxy> proxies() {
		return List.copyOf(this.proxies);
	}

	/**
	 * Return the connect string of the servers, past the proxies.
	 * @return the connect string
	 */
	public String connectString() {
		return this.servers.stream().map(ZooKeeperServer::connectString).collect(Collectors.joining(","));
	}

	/**
	 * Return the connect string that leads through the proxies.
	 * @return the connect string
	 */
	public String proxiedConnectString() {
		return this.proxies.stream().map((proxy) -> proxy.host() + ":" + proxy.port()).collect(Collectors.joining(","));
	}

	/**
	 * Kill the leader, and wait until another server has taken its place.
	 * @return the new leader
	 */
	public ZooKeeperServer failOverByKill() {
		leader().kill();
		return leader();
	}

	/**
	 * Pause the leader, and wait until another server has taken its place. When the
	 * former leader is resumed, it takes itself for the leader until it notices that its
	 * followers are gone.
	 * @return the new leader
	 */
	public ZooKeeperServer failOverByPause() {
		leader().pause();
		return leader();
	}

	/**
	 * Kill the followers, and wait until the leader has noticed: it serves no requests
	 * from then on.
	 * @return the server that is left
	 */
	public ZooKeeperServer loseQuorum() {
		ZooKeeperServer leader = leader();
		followers().forEach(ZooKeeperServer::kill);
		Await.until("the leader has noticed", () -> leader.state().isEmpty());
		return leader;
	}

	/**
	 * Resume servers that stand still, start those that do not run, and wait until all
	 * are a leader and its followers.
	 */
	public void regainQuorum() {
		this.servers.stream().filter((server) -> !server.isRunning()).forEach(ZooKeeperServer::launch);
		this.servers.forEach(ZooKeeperServer::resume);
		awaitReady();
	}

	/**
	 * Kill all processes.
	 */
	@Override
	public void close() {
		this.proxies.forEach(FaultProxy::close);
		this.servers.forEach(ZooKeeperServer::close);
	}

}
