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
package io.github.lockspring.benchmarks.contestant;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The fastest way from one process to another that ZooKeeper itself has: a node in a
 * queue, with the list of the queue asked for in the same trip, and a watch on the node
 * before one's own. A reference only: it does not survive any failure, such as a lost
 * connection or a waiter that leaves the queue without having been granted the lock.
 */
public final class PipelinedQueue implements Contestant {

	private final Set<String> created = ConcurrentHashMap.newKeySet();

	private final ZooKeeper client;

	public PipelinedQueue(String connectString) {
		this.client = PlainZooKeeper.connect(connectString);
	}

	@Override
	public Hold acquire(String key) throws InterruptedException {
		Place place = enter(key);
		String predecessor = place.predecessor();
		if (predecessor != null) {
			awaitEnd(predecessor);
		}
		return () -> PlainZooKeeper.delete(this.client, place.path());
	}

	@Override
	public @Nullable Hold tryAcquire(String key) throws InterruptedException {
		Place place = enter(key);
		if (place.predecessor() == null) {
			return () -> PlainZooKeeper.delete(this.client, place.path());
		}
		PlainZooKeeper.delete(this.client, place.path());
		return null;
	}

	/**
	 * A session answers in the order of the requests, so that the list has the new node.
	 */
	private Place enter(String key) throws InterruptedException {
		String queue = queue(key);
		CompletableFuture<String> node = new CompletableFuture<>();
		CompletableFuture<List<String>> nodes = new CompletableFuture<>();
		this.client.create(queue + '/', PlainZooKeeper.NO_DATA, ZooDefs.Ids.OPEN_ACL_UNSAFE,
				CreateMode.EPHEMERAL_SEQUENTIAL, (code, path, context, name) -> complete(node, code, name), null);
		this.client.getChildren(queue, false, (code, path, context, names) -> complete(nodes, code, names), null);
		try {
			return new Place(queue, node.get().substring(queue.length() + 1), nodes.get());
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
	}

	private static <T> void complete(CompletableFuture<T> future, int code, T value) {
		if (code == KeeperException.Code.OK.intValue()) {
			future.complete(value);
		}
		else {
			future.completeExceptionally(KeeperException.create(KeeperException.Code.get(code)));
		}
	}

	private String queue(String key) throws InterruptedException {
		String queue = "/queue-" + key;
		if (this.created.add(key)) {
			PlainZooKeeper.ensure(this.client, queue);
		}
		return queue;
	}

	private void awaitEnd(String path) throws InterruptedException {
		CountDownLatch end = new CountDownLatch(1);
		try {
			if (this.client.exists(path, (event) -> end.countDown()) != null) {
				end.await();
			}
		}
		catch (KeeperException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		PlainZooKeeper.close(this.client);
	}

	/**
	 * A place in a queue.
	 *
	 * @param queue the path of the queue
	 * @param node the name of our node, a number of ten digits
	 * @param nodes the names of all nodes
	 */
	private record Place(String queue, String node, List<String> nodes) {

		String path() {
			return this.queue + '/' + this.node;
		}

		@Nullable String predecessor() {
			List<String> before = this.nodes.stream().filter((name) -> name.compareTo(this.node) < 0).toList();
			return before.isEmpty() ? null : this.queue + '/' + Collections.max(before);
		}

	}

}
