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
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A Redis cluster of three masters, each with a replica.
 */
public final class RedisCluster implements AutoCloseable {

	/**
	 * The number of slots of a cluster.
	 */
	public static final int SLOTS = 16384;

	private static final int MASTERS = 3;

	private final List<RedisServer> nodes = new ArrayList<>();

	private RedisCluster() {
	}

	/**
	 * Start the nodes, and wait until the cluster is ready.
	 * @return the running cluster
	 */
	public static RedisCluster start() {
		RedisCluster cluster = new RedisCluster();
		try {
			cluster.startNodes();
			cluster.assignSlots();
			cluster.meet();
			cluster.replicate();
			cluster.awaitReady();
			return cluster;
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
	}

	private void startNodes() {
		for (int i = 0; i < 2 * MASTERS; i++) {
			this.nodes.add(RedisServer.builder()
				.option("cluster-enabled", "yes")
				.option("cluster-node-timeout", "1000")
				.option("cluster-replica-validity-factor", "0")
				// A replica is listed once it has received a byte
				.option("repl-ping-replica-period", "1")
				.start());
		}
	}

	private void assignSlots() {
		for (int i = 0; i < MASTERS; i++) {
			IntStream slots = IntStream.range(i * SLOTS / MASTERS, (i + 1) * SLOTS / MASTERS);
			this.nodes.get(i)
				.command(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots.mapToObj(String::valueOf))
					.toArray(String[]::new));
		}
		for (int i = 0; i < this.nodes.size(); i++) {
			this.nodes.get(i).command("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
		}
	}

	private void meet() {
		RedisServer first = this.nodes.get(0);
		this.nodes.stream().skip(1).forEach((node) -> first.command("CLUSTER", "MEET", node.host(), "" + node.port()));
		Await.until("the nodes know each other", () -> this.nodes.stream().allMatch(this::knowsAll));
	}

	private boolean knowsAll(RedisServer node) {
		String text = String.valueOf(node.command("CLUSTER", "NODES"));
		return text.lines().count() == this.nodes.size() && !text.contains("handshake");
	}

	private void replicate() {
		for (int i = 0; i < MASTERS; i++) {
			String master = String.valueOf(this.nodes.get(i).command("CLUSTER", "MYID"));
			this.nodes.get(i + MASTERS).command("CLUSTER", "REPLICATE", master);
		}
	}

	/**
	 * Wait until all nodes run and regard the cluster as complete, with a connected
	 * replica for each master.
	 */
	public void awaitReady() {
		Await.until("the cluster is ready", () -> this.nodes.stream().allMatch(this::isReady));
	}

	private boolean isReady(RedisServer node) {
		return String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok") && hasReplicas(node)
				&& (!isReplica(node) || "up".equals(node.info("replication").get("master_link_status")));
	}

	private static boolean isReplica(RedisServer node) {
		return "slave".equals(node.info("replication").get("role"));
	}

	private static boolean hasReplicas(RedisServer node) {
		List<?> ranges = (List<?>) node.command("CLUSTER", "SLOTS");
		return ranges != null && ranges.stream().allMatch((range) -> ((List<?>) range).size() == 4);
	}

	/**
	 * Return the nodes.
	 * @return masters and replicas
	 */
	public List<RedisServer> nodes() {
		return List.copyOf(this.nodes);
	}

	/**
	 * Return the addresses of the nodes, as clients want them.
	 * @return host and port of each
	 */
	public List<String> addresses() {
		return this.nodes.stream().map((node) -> node.host() + ":" + node.port()).toList();
	}

	/**
	 * Return the slot of a key.
	 * @param key the key
	 * @return its slot
	 */
	public int slot(String key) {
		return running().map((node) -> ((Long) node.command("CLUSTER", "KEYSLOT", key)).intValue()).orElseThrow();
	}

	private Optional<RedisServer> running() {
		return this.nodes.stream().filter(RedisServer::isRunning).findFirst();
	}

	/**
	 * Return the master of a slot.
	 * @param slot the slot
	 * @return its master, the one with the newest claim if there are several
	 */
	public RedisServer master(int slot) {
		return running().map((node) -> master(slot, node)).orElseThrow();
	}

	private RedisServer master(int slot, RedisServer asked) {
		return range(slot, asked).map((range) -> node((List<?>) range.get(2))).orElseThrow();
	}

	/**
	 * Begin to move a slot to another master, so that both have some of its keys.
	 * @param slot the slot
	 * @return moves keys, and finally the slot
	 */
	public SlotMigration migrate(int slot) {
		RedisServer source = master(slot);
		RedisServer target = this.nodes.stream()
			.filter((node) -> node != source && !isReplica(node))
			.findFirst()
			.orElseThrow();
		target.command("CLUSTER", "SETSLOT", "" + slot, "IMPORTING", id(source));
		source.command("CLUSTER", "SETSLOT", "" + slot, "MIGRATING", id(target));
		return new SlotMigration(slot, source, target);
	}

	private static String id(RedisServer node) {
		return String.valueOf(node.command("CLUSTER", "MYID"));
	}

	/**
	 * Return the replica of a slot.
	 * @param slot the slot
	 * @return its replica, if there is one
	 */
	public Optional<RedisServer> replica(int slot) {
		return running().flatMap((asked) -> range(slot, asked))
			.filter((range) -> range.size() > 3)
			.map((range) -> node((List<?>) range.get(3)));
	}

	private static Optional<List<?>> range(int slot, RedisServer asked) {
		List<?> ranges = (List<?>) asked.command("CLUSTER", "SLOTS");
		return ranges.stream()
			.<List<?>>map((range) -> (List<?>) range)
			.filter((range) -> (Long) range.get(0) <= slot && slot <= (Long) range.get(1))
			.findFirst();
	}

	private RedisServer node(List<?> address) {
		return this.nodes.stream()
			.filter((node) -> address.get(1).equals((long) node.port()))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Kill the master of a slot, and wait until its replica has taken its place.
	 * @param slot the slot
	 * @return the new master
	 */
	public RedisServer failOver(int slot) {
		RedisServer former = master(slot);
		former.kill();
		return awaitSuccessor(slot, former);
	}

	/**
	 * Wait until all running nodes regard another node as the master of a slot and the
	 * cluster as complete.
	 * @param slot the slot
	 * @param former the node that was the master
	 * @return the new master
	 */
	public RedisServer awaitSuccessor(int slot, RedisServer former) {
		Await.until("the replica is the master",
				() -> this.nodes.stream()
					.filter((node) -> node != former && node.isRunning())
					.allMatch((node) -> isSucceeded(slot, former, node)));
		return this.nodes.stream()
			.filter((node) -> node != former && node.isRunning())
			.findFirst()
			.map((node) -> master(slot, node))
			.orElseThrow();
	}

	private boolean isSucceeded(int slot, RedisServer former, RedisServer asked) {
		return String.valueOf(asked.command("CLUSTER", "INFO")).contains("cluster_state:ok")
				&& range(slot, asked).map((range) -> node((List<?>) range.get(2))).orElse(former) != former;
	}

	/**
	 * Kill all processes.
	 */
	@Override
	public void close() {
		this.nodes.forEach(RedisServer::close);
	}

	/**
	 * A slot that is on its way from one master to another.
	 *
	 * @param slot the slot
	 * @param source the master that has it
	 * @param target the master that will have it
	 */
	public record SlotMigration(int slot, RedisServer source, RedisServer target) {

		/**
		 * Move one key.
		 * @param key the key
		 */
		public void move(String key) {
			this.source.command("MIGRATE", this.target.host(), "" + this.target.port(), key, "0", "5000");
		}

		/**
		 * Move the keys that are left, and the slot.
		 */
		public void finish() {
			List<?> keys = (List<?>) this.source.command("CLUSTER", "GETKEYSINSLOT", "" + this.slot, "1000");
			keys.forEach((key) -> move((String) key));
			this.target.command("CLUSTER", "SETSLOT", "" + this.slot, "NODE", id(this.target));
			this.source.command("CLUSTER", "SETSLOT", "" + this.slot, "NODE", id(this.target));
		}

	}

}
