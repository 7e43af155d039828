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

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper.States;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.zookeeper.ServerConnection;
import io.github.lockspring.simulator.zookeeper.ServerConnection.Request;
import io.github.lockspring.simulator.zookeeper.ZooKeeperNetwork;
import io.github.lockspring.simulator.zookeeper.ZooKeeperNetwork.Wire;
import io.github.lockspring.simulator.zookeeper.ZooKeeperReceiver;
import io.github.lockspring.support.DaemonThreads;

/**
 * Connection of a client to the servers, with the rules of the client library: it
 * connects again after a random pause when it is lost, or silent for two thirds of the
 * session timeout. What was not answered then fails with a loss of the connection,
 * although it may have been executed. Answers and events are handled by one thread, in
 * the order in which they arrive. Thread-safe.
 */
final class ModelConnection {

	private static final int SERVERS = 3;

	/**
	 * Part of the session timeout that the longest pause is, with the default timeout.
	 */
	private static final int PAUSES = 10;

	private static final long MARGIN_OF_PINGS = TimeUnit.SECONDS.toNanos(1);

	private final ZooKeeperNetwork network;

	private final ModelWatches watches;

	private final ModelEvents events = new ModelEvents("event-thread");

	private final Thread sender = DaemonThreads.create("send-thread", this::run);

	private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();

	/**
	 * Requests that wait for a connection.
	 */
	private final Deque<Packet<?>> outgoing = new ArrayDeque<>();

	/**
	 * Requests that wait for an answer.
	 */
	private final Deque<Packet<?>> pending = new ArrayDeque<>();

	private volatile States state = States.CONNECTING;

	private volatile long sessionId;

	private volatile byte[] password;

	private volatile int timeout;

	private volatile boolean closing;

	private @Nullable Attempt attempt;

	private long lastZxid;

	private long heardNanos;

	private long sentNanos;

	/**
	 * Create a connection, and begin to connect.
	 * @param network the way to the servers
	 * @param timeout the session timeout that is wanted, in milliseconds
	 * @param watcher the default watcher
	 * @param sessionId the session to continue, 0 for a new one
	 * @param password the password of the session
	 */
	ModelConnection(ZooKeeperNetwork network, int timeout, Watcher watcher, long sessionId, byte[] password) {
		this.network = network;
		this.timeout = timeout;
		this.watches = new ModelWatches(watcher);
		this.sessionId = sessionId;
		this.password = password;
		this.sender.start();
	}

	ZooKeeperNetwork network() {
		return this.network;
	}

	ModelWatches watches() {
		return this.watches;
	}

	States state() {
		return this.state;
	}

	long sessionId() {
		return this.sessionId;
	}

	byte[] password() {
		return this.password;
	}

	int timeout() {
		return this.timeout;
	}

	/**
	 * Send a request of the application.
	 */
	<T> void request(Request<T> request, IntConsumer arrival, Receiver<T> receiver) {
		this.network.mayThrow();
		submit(request, arrival, receiver);
		this.network.mayThrow();
	}

	/**
	 * Send a request, now or when there is a connection.
	 * @param request the request
	 * @param arrival called with the code of the answer when it arrives
	 * @param receiver called with the answer in the thread of events
	 */
	<T> void submit(Request<T> request, IntConsumer arrival, Receiver<T> receiver) {
		Packet<T> packet = new Packet<>(request, arrival, receiver);
		if (!accept(packet)) {
			finish(packet, lossCode(), null);
		}
	}

	private synchronized boolean accept(Packet<?> packet) {
		if (!this.state.isAlive() || this.closing) {
			return false;
		}
		Attempt attempt = this.attempt;
		if (attempt != null && attempt.open) {
			send(attempt, packet);
		}
		else {
			this.outgoing.add(packet);
		}
		return true;
	}

	private <T> void send(Attempt attempt, Packet<T> packet) {
		this.pending.add(packet);
		this.sentNanos = System.nanoTime();
		attempt.wire.send((server) -> server.execute(packet.request,
				(code, zxid, value) -> answered(attempt, packet, code, zxid, value)));
	}

	private <T> void finish(Packet<T> packet, int code, @Nullable T value) {
		packet.arrival.accept(code);
		this.events.add(() -> packet.receiver.receive(code, value));
	}

	private int lossCode() {
		return ((this.state == States.CLOSED) ? Code.SESSIONEXPIRED : Code.CONNECTIONLOSS).intValue();
	}

	private void run() {
		boolean first = true;
		while (this.state.isAlive()) {
			if (this.attempt == null) {
				if (this.closing || !first && !pause()) {
					break;
				}
				first = false;
				connect();
			}
			for (Runnable message = this.inbox.poll(); message != null; message = this.inbox.poll()) {
				message.run();
			}
			long nanos = checkTimes();
			if (nanos > 0 && this.inbox.isEmpty() && this.state.isAlive()) {
				LockSupport.parkNanos(this, nanos);
			}
		}
		disconnect();
	}

	/**
	 * Wait before the next attempt to connect.
	 * @return whether to connect
	 */
	private boolean pause() {
		long begin = System.nanoTime();
		long pause = TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextInt(this.timeout / PAUSES));
		for (long left = pause; left > 0 && this.state.isAlive(); left = pause - (System.nanoTime() - begin)) {
			LockSupport.parkNanos(this, left);
		}
		return this.state.isAlive();
	}

	private synchronized void connect() {
		Attempt attempt = new Attempt();
		this.attempt = attempt;
		this.heardNanos = System.nanoTime();
		this.sentNanos = this.heardNanos;
		long id = this.sessionId;
		long zxid = this.lastZxid;
		attempt.wire.send((server) -> server.open(id, this.password, this.timeout, zxid));
	}

	/**
	 * Ping the server, or give it up, if it is time.
	 * @return when to call this again, in nanoseconds
	 */
	private synchronized long checkTimes() {
		Attempt attempt = this.attempt;
		if (attempt == null) {
			return 0;
		}
		long now = System.nanoTime();
		long timeout = TimeUnit.MILLISECONDS.toNanos(this.timeout);
		long readTimeout = timeout * 2 / 3;
		long left = (attempt.open ? readTimeout : timeout / SERVERS) - (now - this.heardNanos);
		if (left <= 0) {
			lose();
			return 0;
		}
		if (!attempt.open) {
			return left;
		}
		long idle = now - this.sentNanos;
		long ping = readTimeout / 2 - idle - ((idle > MARGIN_OF_PINGS) ? MARGIN_OF_PINGS : 0);
		if (ping <= 0) {
			this.sentNanos = now;
			attempt.wire.send((server) -> server.execute((any) -> true, (code, zxid, value) -> attempt.heard()));
			ping = readTimeout / 2;
		}
		return Math.min(left, ping);
	}

	private synchronized void opened(Attempt attempt, long id, byte[] password, int timeout) {
		if (this.attempt != attempt) {
			return;
		}
		if (timeout == 0) {
			this.state = States.CLOSED;
			notify(KeeperState.Expired);
			this.events.end();
			return;
		}
		this.heardNanos = System.nanoTime();
		this.sessionId = id;
		this.password = password;
		this.timeout = timeout;
		attempt.open = true;
		this.state = States.CONNECTED;
		notify(KeeperState.SyncConnected);
		List<String> existing = this.watches.existing();
		List<String> missing = this.watches.missing();
		if (!existing.isEmpty() || !missing.isEmpty()) {
			long zxid = this.lastZxid;
			send(attempt, new Packet<>((server) -> server.watchAgain(zxid, existing, missing), (code) -> {
			}, (code, done) -> {
			}));
		}
		this.outgoing.forEach((packet) -> send(attempt, packet));
		this.outgoing.clear();
	}

	private void notify(KeeperState state) {
		WatchedEvent event = new WatchedEvent(EventType.None, state, null);
		this.watches.notified(EventType.None, "").forEach((watcher) -> this.events.add(() -> watcher.process(event)));
	}

	private <T> void answered(Attempt attempt, Packet<T> packet, int code, long zxid, @Nullable T value) {
		synchronized (this) {
			if (this.attempt != attempt || this.pending.poll() != packet) {
				return;
			}
			this.heardNanos = System.nanoTime();
			this.lastZxid = zxid;
		}
		finish(packet, code, value);
	}

	private void changed(Attempt attempt, EventType type, String path) {
		synchronized (this) {
			if (this.attempt != attempt) {
				return;
			}
			this.heardNanos = System.nanoTime();
		}
		WatchedEvent event = new WatchedEvent(type, KeeperState.SyncConnected, path);
		this.watches.notified(type, path).forEach((watcher) -> this.events.add(() -> watcher.process(event)));
	}

	/**
	 * Give up the connection, unless another one has taken its place.
	 */
	private synchronized void closed(Attempt attempt) {
		if (this.attempt == attempt) {
			lose();
		}
	}

	private void lose() {
		this.state = this.state.isAlive() ? States.CONNECTING : this.state;
		disconnect();
		if (this.state.isAlive()) {
			notify(KeeperState.Disconnected);
		}
	}

	private synchronized void disconnect() {
		Attempt attempt = this.attempt;
		if (attempt != null) {
			this.attempt = null;
			attempt.wire.close();
		}
		this.pending.forEach((packet) -> finish(packet, lossCode(), null));
		this.pending.clear();
		this.outgoing.forEach((packet) -> finish(packet, lossCode(), null));
		this.outgoing.clear();
	}

	/**
	 * Expire the session at the client, whether or not the servers do.
	 */
	void expire() {
		notify(KeeperState.Expired);
		this.events.end();
		this.state = States.CLOSED;
		LockSupport.unpark(this.sender);
	}

	/**
	 * Close the session if it is connected, and wait for that.
	 */
	void close() {
		Thread caller = Thread.currentThread();
		boolean[] done = new boolean[1];
		submit(ServerConnection::closeSession, (code) -> {
			done[0] = true;
			LockSupport.unpark(caller);
		}, (code, closed) -> {
		});
		this.closing = true;
		LockSupport.unpark(this.sender);
		while (!done[0]) {
			LockSupport.park(this);
		}
		this.state = States.CLOSED;
		this.events.end();
		LockSupport.unpark(this.sender);
	}

	/**
	 * Receives an answer.
	 *
	 * @param <T> the type of answer
	 */
	@FunctionalInterface
	interface Receiver<T> {

		/**
		 * Receive an answer.
		 * @param code the code of the failure, 0 for none
		 * @param value the answer, {@code null} for a failure
		 */
		void receive(int code, @Nullable T value);

	}

	private record Packet<T>(Request<T> request, IntConsumer arrival, Receiver<T> receiver) {
	}

	/**
	 * Attempt to connect, and the connection if it succeeds. What arrives is handled by
	 * the thread that sends.
	 */
	private final class Attempt implements ZooKeeperReceiver {

		private final Wire wire = ModelConnection.this.network.connect(this);

		private volatile boolean open;

		private void add(Runnable message) {
			ModelConnection.this.inbox.add(message);
			LockSupport.unpark(ModelConnection.this.sender);
		}

		@Override
		public void opened(long session, byte[] password, int timeout) {
			add(() -> ModelConnection.this.opened(this, session, password, timeout));
		}

		@Override
		public void replied(Runnable reply) {
			add(reply);
		}

		@Override
		public void changed(EventType event, String path) {
			add(() -> ModelConnection.this.changed(this, event, path));
		}

		@Override
		public void closed() {
			add(() -> ModelConnection.this.closed(this));
		}

		/**
		 * Hear from the server.
		 */
		private void heard() {
			synchronized (ModelConnection.this) {
				if (ModelConnection.this.attempt == this) {
					ModelConnection.this.heardNanos = System.nanoTime();
				}
			}
		}

	}

}
