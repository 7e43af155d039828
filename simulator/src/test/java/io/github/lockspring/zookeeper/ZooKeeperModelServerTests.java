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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.github.lockspring.server.ZooKeeperServer;
import io.github.lockspring.simulator.zookeeper.ZooKeeperModel;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sends the same random requests to a {@link ZooKeeperModel} and to a server, and
 * compares the answers, the metadata, and the events of watches. The properties
 * {@code lock.test.seed} and {@code lock.test.sequences} set the seed and the number of
 * sequences.
 */
class ZooKeeperModelServerTests {

	private static final int SEQUENCES = Integer.getInteger("lock.test.sequences", 6);

	private static final int STEPS = 60;

	private static final int SESSION_TIMEOUT = 10_000;

	private final long seed = Long.getLong("lock.test.seed", System.nanoTime());

	private final Random random = new Random(this.seed);

	private final DirectZooKeeperNetwork network = new DirectZooKeeperNetwork(DirectZooKeeperNetwork.newServers());

	private final ZooKeeperSide model = new ZooKeeperSide(
			(watcher) -> ModelZooKeeper.connect(this.network, SESSION_TIMEOUT, watcher));

	private final ZooKeeperSide server = new ZooKeeperSide(ZooKeeperModelServerTests::connect);

	private final List<String> history = new ArrayList<>();

	private String root = "";

	private static ZooKeeper connect(Watcher watcher) {
		try {
			return new ZooKeeper(ZooKeeperServer.shared().connectString(), SESSION_TIMEOUT, watcher);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@AfterEach
	void close() {
		this.model.close();
		this.server.close();
	}

	@Test
	void requestsAreAnsweredLikeOnTheServer() {
		for (int i = 0; i < SEQUENCES; i++) {
			this.history.clear();
			this.root = "/model-" + Long.toHexString(this.seed) + "-" + i;
			this.model.begin(this.root);
			this.server.begin(this.root);
			for (int step = 0; step < STEPS; step++) {
				step();
			}
		}
	}

	private void step() {
		Function<ZooKeeperSide, String> request = request();
		String expected = request.apply(this.server);
		this.history.add("  " + expected);
		assertThat(request.apply(this.model)).as(this::description).isEqualTo(expected);
		List<String> events = this.server.events();
		this.history.add("  " + events);
		List<String> actual = this.model.events();
		if (events.size() > 1) { // a session ends the nodes in any order
			assertThat(actual).as(this::description).containsExactlyInAnyOrderElementsOf(events);
		}
		else {
			assertThat(actual).as(this::description).isEqualTo(events);
		}
	}

	private Function<ZooKeeperSide, String> request() {
		int client = this.random.nextInt(2);
		String path = path();
		return switch (this.random.nextInt(14)) {
			case 0, 1, 2 -> create(client, path, any(CreateMode.PERSISTENT, CreateMode.EPHEMERAL,
					CreateMode.EPHEMERAL_SEQUENTIAL, CreateMode.PERSISTENT_SEQUENTIAL, CreateMode.CONTAINER));
			case 3, 4 -> delete(client, path, any(-1, 0, 1));
			case 5 -> setData(client, path, any(-1, 0, 1));
			case 6, 7 -> exists(client, path, this.random.nextInt(4) > 0);
			case 8 -> getData(client, path, this.random.nextInt(4) > 0);
			case 9 -> list(client, path);
			case 10, 11 -> multi(client, changes());
			case 12 -> multi(client, List.of(Op.getChildren(path), Op.getData(path()), Op.getChildren(path())));
			default -> (this.random.nextInt(3) > 0) ? unwatch(client, path) : restart(client);
		};
	}

	private Function<ZooKeeperSide, String> create(int client, String path, CreateMode mode) {
		byte[] data = data();
		return named(client + " create " + path + " " + mode, (side, result) -> side.client(client)
			.create(path, data, ZooDefs.Ids.OPEN_ACL_UNSAFE, mode,
					(code, asked, context, name, stat) -> result.complete(side.text(code, name) + side.text(stat)),
					null));
	}

	private Function<ZooKeeperSide, String> delete(int client, String path, int version) {
		return named(client + " delete " + path + " " + version, (side, result) -> side.client(client)
			.delete(path, version, (code, asked, context) -> result.complete(side.text(code, asked)), null));
	}

	private Function<ZooKeeperSide, String> setData(int client, String path, int version) {
		byte[] data = data();
		return named(client + " set " + path + " " + version,
				(side, result) -> side.client(client)
					.setData(path, data, version,
							(code, asked, context, stat) -> result.complete(side.text(code, side.text(stat))), null));
	}

	private Function<ZooKeeperSide, String> exists(int client, String path, boolean watch) {
		return named(client + " exists " + path + " " + watch,
				(side, result) -> side.client(client)
					.exists(path, watcher(side, client, watch),
							(code, asked, context, stat) -> result.complete(side.text(code, side.text(stat))), null));
	}

	private Function<ZooKeeperSide, String> getData(int client, String path, boolean watch) {
		return named(client + " get " + path + " " + watch,
				(side, result) -> side.client(client)
					.getData(path, watcher(side, client, watch),
							(code, asked, context, data, stat) -> result
								.complete(side.text(code, (data != null) ? new String(data) : null) + side.text(stat)),
							null));
	}

	private static @Nullable Watcher watcher(ZooKeeperSide side, int client, boolean watch) {
		return watch ? side.watcher(client) : null;
	}

	private Function<ZooKeeperSide, String> list(int client, String path) {
		Function<ZooKeeperSide, String> names = named(client + " list " + path,
				(side, result) -> side.client(client)
					.getChildren(path, false,
							(code, asked, context, children) -> result.complete(
									side.text(code, (children != null) ? children.stream().sorted().toList() : null)),
							null));
		Function<ZooKeeperSide, String> acl = named(client + " acl " + path,
				(side, result) -> side.client(client)
					.getACL(path, new Stat(),
							(code, asked, context, entries, stat) -> result.complete(side.text(code, entries)), null));
		return (side) -> names.apply(side) + acl.apply(side);
	}

	private Function<ZooKeeperSide, String> multi(int client, List<Op> ops) {
		return named(client + " multi " + ops.stream().map((op) -> op.getType() + " " + op.getPath()).toList(),
				(side, result) -> side.client(client)
					.multi(ops, (code, asked, context, results) -> result.complete(side.text(code, side.text(results))),
							null));
	}

	private Function<ZooKeeperSide, String> unwatch(int client, String path) {
		return named(client + " unwatch " + path,
				(side, result) -> side.client(client)
					.removeAllWatches(path, WatcherType.Any, true,
							(code, asked, context) -> result.complete(side.text(code, asked)), null));
	}

	private Function<ZooKeeperSide, String> restart(int client) {
		this.history.add(client + " restart");
		return (side) -> side.restart(client);
	}

	private Function<ZooKeeperSide, String> named(String name, Request request) {
		this.history.add(name);
		return (side) -> ZooKeeperSide.await(ZooKeeperSide.answer((result) -> request.send(side, result)));
	}

	private List<Op> changes() {
		List<Op> changes = new ArrayList<>();
		int count = 1 + this.random.nextInt(4);
		for (int i = 0; i < count; i++) {
			String path = path();
			Op change = switch (this.random.nextInt(6)) {
				case 0, 1 -> Op.create(path, data(), ZooDefs.Ids.OPEN_ACL_UNSAFE,
						any(CreateMode.PERSISTENT, CreateMode.EPHEMERAL, CreateMode.EPHEMERAL_SEQUENTIAL));
				case 2 -> Op.delete(path, any(-1, 0));
				case 3, 4 -> Op.setData(path, data(), any(-1, -1, 0));
				default -> Op.check(path, any(-1, -1, 1));
			};
			changes.add(change);
		}
		return changes;
	}

	private String path() {
		String parent = this.root + any("/a", "/b", "/c");
		return any(parent, parent, parent + "/x", parent + "/y", parent + "/n0000000000", parent + "/n0000000001",
				parent + "/n");
	}

	private byte[] data() {
		return "x".repeat(this.random.nextInt(5)).getBytes(StandardCharsets.US_ASCII);
	}

	@SafeVarargs
	private <T> T any(T... all) {
		return all[this.random.nextInt(all.length)];
	}

	private String description() {
		return "-Dlock.test.seed=" + this.seed + '\n' + String.join("\n", this.history);
	}

	private interface Request {

		void send(ZooKeeperSide side, CompletableFuture<String> result);

	}

}
