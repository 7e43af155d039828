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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy between a client and a server that can put faults between them. A fault
 * concerns all connections, also those to come, and lasts until {@link #heal()}. Safe for
 * use by several threads.
 */
public final class FaultProxy implements AutoCloseable {

	private final int port = FreePorts.next();

	private final LinkFaults up = new LinkFaults();

	private final LinkFaults down = new LinkFaults();

	private final Set<ProxyConnection> open = ConcurrentHashMap.newKeySet();

	private final AtomicReference<@Nullable DroppedReply<String>> armed = new AtomicReference<>();

	private final AtomicInteger connections = new AtomicInteger();

	private final AtomicLong roundTrips = new AtomicLong();

	private final AtomicLong chunksUp = new AtomicLong();

	private final AtomicLong chunksDown = new AtomicLong();

	private final @Nullable ZooKeeperTraffic zooKeeper;

	private volatile InetSocketAddress target;

	private volatile ServerSocket listener;

	private volatile Thread acceptor = Thread.currentThread();

	/**
	 * Start a proxy on a free port of the loopback interface.
	 * @param host the host of the server
	 * @param port the port of the server
	 */
	public FaultProxy(String host, int port) {
		this(host, port, null);
	}

	private FaultProxy(String host, int port, @Nullable ZooKeeperTraffic zooKeeper) {
		this.zooKeeper = zooKeeper;
		this.target = new InetSocketAddress(host, port);
		this.listener = listen();
	}

	/**
	 * Start a proxy that knows the protocol of ZooKeeper: it can drop the reply to a
	 * certain request, also among others that are under way.
	 * @param host the host of the server
	 * @param port the port of the server
	 * @return the proxy
	 */
	public static FaultProxy zooKeeper(String host, int port) {
		return new FaultProxy(host, port, new ZooKeeperTraffic());
	}

	private ServerSocket listen() {
		try {
			ServerSocket socket = new ServerSocket(this.port, 100, InetAddress.getLoopbackAddress());
			this.acceptor = startThread("proxy-accept-" + this.port, () -> accept(socket));
			return socket;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void accept(ServerSocket socket) {
		try {
			while (true) {
				Socket client = socket.accept();
				this.connections.incrementAndGet();
				startThread("proxy-connect-" + this.port, () -> connect(client));
			}
		}
		catch (IOException ex) {
			// Connections are refused from now on
		}
	}

	private void connect(Socket client) {
		Socket server = new Socket();
		try {
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			server.connect(this.target, 5000);
			ProxyConnection connection = new ProxyConnection(this, client, server);
			this.open.add(connection);
			connection.start();
		}
		catch (IOException ex) {
			ProxyConnection.reset(client);
			ProxyConnection.reset(server);
		}
	}

	private static Thread startThread(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	/**
	 * Return the host that clients connect to.
	 * @return the host
	 */
	public String host() {
		return "127.0.0.1";
	}

	/**
	 * Return the port that clients connect to.
	 * @return the port
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Let new connections lead to another server; those that are open stay.
	 * @param host the host of the server
	 * @param port the port of the server
	 */
	public void retarget(String host, int port) {
		this.target = new InetSocketAddress(host, port);
	}

	/**
	 * Reset all connections, on both sides.
	 */
	public void cut() {
		this.open.forEach(ProxyConnection::cut);
	}

	/**
	 * Close all connections, on both sides, in an orderly way.
	 */
	public void disconnect() {
		this.open.forEach(ProxyConnection::close);
	}

	/**
	 * Swallow all bytes, and the end of a connection as well: it stays open. A connection
	 * that has lost something is reset by {@link #heal()}, since no network delivers a
	 * stream with a gap.
	 * @param direction which bytes
	 */
	public void hole(Direction direction) {
		forEach(direction, (faults) -> faults.hole = true);
	}

	/**
	 * Let each byte arrive later, in order and as many at a time as before.
	 * @param direction which bytes
	 * @param delay how much later
	 */
	public void delay(Direction direction, Duration delay) {
		forEach(direction, (faults) -> faults.delayNanos = delay.toNanos());
	}

	/**
	 * Let bytes arrive slowly.
	 * @param direction which bytes
	 * @param bytesPerSecond how many per second
	 */
	public void slow(Direction direction, int bytesPerSecond) {
		forEach(direction, (faults) -> faults.bytesPerSecond = bytesPerSecond);
	}

	/**
	 * Send each byte in a segment of its own.
	 * @param direction which bytes
	 */
	public void split(Direction direction) {
		forEach(direction, (faults) -> faults.split = true);
	}

	private void forEach(Direction direction, Consumer<LinkFaults> change) {
		if (direction.includes(Direction.UP)) {
			change.accept(this.up);
		}
		if (direction.includes(Direction.DOWN)) {
			change.accept(this.down);
		}
	}

	/**
	 * Drop the reply to the next request, see {@link #dropReply(Predicate)}.
	 * @return the reply, once it is dropped
	 */
	public Future<String> dropReply() {
		return dropReply((request) -> true);
	}

	/**
	 * Drop the reply to the next request that contains a text, see
	 * {@link #dropReply(Predicate)}.
	 * @param text the text
	 * @return the reply, once it is dropped
	 */
	public Future<String> dropReply(String text) {
		return dropReply((request) -> request.contains(text));
	}

	/**
	 * Drop the reply to the next request that matches: the request is delivered, what the
	 * server sends next is discarded, and the connection with the client is reset. The
	 * server can still read all that it was sent. On a connection with several requests
	 * under way, what is discarded may be the reply to an earlier one; not so with
	 * ZooKeeper, see {@link #dropReplyOf(Predicate)}.
	 * @param request tests whether bytes, as ISO-8859-1, are the request
	 * @return the reply, once it is dropped
	 */
	public Future<String> dropReply(Predicate<String> request) {
		if (this.zooKeeper != null) {
			return this.zooKeeper.dropReply((frame) -> request.test(frame.text()));
		}
		DroppedReply<String> reply = new DroppedReply<>(request);
		this.armed.set(reply);
		return reply.reply();
	}

	/**
	 * Drop the reply to the next request of a kind, see {@link #dropReplyOf(Predicate)}.
	 * @param opCode a constant of {@link org.apache.zookeeper.ZooDefs.OpCode}
	 * @return the reply, once it is dropped
	 */
	public Future<String> dropReplyOf(int opCode) {
		return dropReplyOf(opCode, 1);
	}

	/**
	 * Drop the reply to a request of a kind, see {@link #dropReplyOf(Predicate)}.
	 * @param opCode a constant of {@link org.apache.zookeeper.ZooDefs.OpCode}
	 * @param number which of the requests of this kind from now on, beginning with 1
	 * @return the reply, once it is dropped
	 */
	public Future<String> dropReplyOf(int opCode, int number) {
		AtomicInteger seen = new AtomicInteger();
		return dropReplyOf((request) -> request.opCode() == opCode && seen.incrementAndGet() == number);
	}

	/**
	 * Drop the reply to the next request to a ZooKeeper server that matches: this request
	 * and those behind it are delivered, replies and events that come before the reply
	 * are as well, the reply is not, and the connection with the client is reset. A new
	 * connection is {@code OpCode.createSession}; an event of a watch counts as its own
	 * reply, with {@code OpCode.notification}.
	 * @param request tests whether it is the request; never called by two threads at the
	 * same time
	 * @return the reply as ISO-8859-1, without its length, once it is dropped
	 */
	public Future<String> dropReplyOf(Predicate<ZooKeeperRequest> request) {
		return zooKeeper().dropReply(request);
	}

	/**
	 * Return how many requests of a kind were sent to a ZooKeeper server so far. What is
	 * within a {@code multi} does not count.
	 * @param opCode a constant of {@link org.apache.zookeeper.ZooDefs.OpCode}
	 * @return the number of requests
	 */
	public long requests(int opCode) {
		return zooKeeper().requests(opCode);
	}

	/**
	 * Let a ZooKeeper server not know a kind of request, as if it were an older one.
	 * @param opCode a constant of {@link org.apache.zookeeper.ZooDefs.OpCode}
	 */
	public void makeUnknown(int opCode) {
		zooKeeper().makeUnknown(opCode);
	}

	private ZooKeeperTraffic zooKeeper() {
		if (this.zooKeeper == null) {
			throw new IllegalStateException("Not a proxy for ZooKeeper");
		}
		return this.zooKeeper;
	}

	/**
	 * Refuse new connections; those that are open stay.
	 */
	public synchronized void refuse() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		awaitEndOfAcceptor();
	}

	/**
	 * Connections are accepted until the thread has noticed.
	 */
	private void awaitEndOfAcceptor() {
		try {
			this.acceptor.join(5000);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * End all faults.
	 */
	public synchronized void heal() {
		this.armed.set(null);
		if (this.zooKeeper != null) {
			this.zooKeeper.disarm();
		}
		this.up.heal();
		this.down.heal();
		this.open.stream().filter(ProxyConnection::hasGap).forEach(ProxyConnection::cut);
		if (this.listener.isClosed()) {
			this.listener = listenAgain();
		}
	}

	/**
	 * The port is in use until the thread that accepted has noticed the end.
	 */
	private ServerSocket listenAgain() {
		AtomicReference<@Nullable ServerSocket> socket = new AtomicReference<>();
		Await.until("port " + this.port + " is free", () -> {
			socket.set(listen());
			return true;
		});
		return Objects.requireNonNull(socket.get());
	}

	/**
	 * Return how many connections were accepted so far.
	 * @return the number of connections
	 */
	public int connections() {
		return this.connections.get();
	}

	/**
	 * Return how many connections are open.
	 * @return the number of open connections
	 */
	public int openConnections() {
		return this.open.size();
	}

	/**
	 * Return how many chunks of bytes have arrived so far.
	 * @param direction which bytes
	 * @return the number of chunks
	 */
	public long chunks(Direction direction) {
		return (direction.includes(Direction.UP) ? this.chunksUp.get() : 0)
				+ (direction.includes(Direction.DOWN) ? this.chunksDown.get() : 0);
	}

	/**
	 * Return how often the server has replied so far: bytes of the server after bytes of
	 * the client. Requests that are sent together are one round trip.
	 * @return the number of round trips
	 */
	public long roundTrips() {
		return this.roundTrips.get();
	}

	LinkFaults faults(Direction direction) {
		return (direction == Direction.UP) ? this.up : this.down;
	}

	void count(Direction direction) {
		((direction == Direction.UP) ? this.chunksUp : this.chunksDown).incrementAndGet();
	}

	void countRoundTrip() {
		this.roundTrips.incrementAndGet();
	}

	@Nullable ZooKeeperFrames newFrames() {
		return (this.zooKeeper != null) ? new ZooKeeperFrames(this.zooKeeper) : null;
	}

	@Nullable DroppedReply<String> armed() {
		return this.armed.get();
	}

	boolean disarm(DroppedReply<String> reply) {
		return this.armed.compareAndSet(reply, null);
	}

	void remove(ProxyConnection connection) {
		this.open.remove(connection);
	}

	/**
	 * Refuse new connections and reset those that are open.
	 */
	@Override
	public void close() {
		refuse();
		cut();
	}

}
