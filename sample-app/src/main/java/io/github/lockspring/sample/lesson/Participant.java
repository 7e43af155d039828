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

package io.github.lockspring.sample.lesson;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.LockOptions;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.sample.homemade.CleanedRowLock;
import io.github.lockspring.sample.homemade.EphemeralNodeLock;
import io.github.lockspring.sample.homemade.HomemadeLock;
import io.github.lockspring.sample.homemade.LuaReleaseLock;
import io.github.lockspring.sample.homemade.OptimisticStock;
import io.github.lockspring.sample.homemade.OwnerInJavaLock;
import io.github.lockspring.sample.homemade.Pause;
import io.github.lockspring.sample.homemade.ReentrantHashLock;
import io.github.lockspring.sample.homemade.SequentialNodeLock;
import io.github.lockspring.sample.homemade.SetNxExpireLock;
import io.github.lockspring.sample.homemade.SetNxLock;
import io.github.lockspring.sample.homemade.SetNxPxLock;
import io.github.lockspring.sample.homemade.UniqueRowLock;
import io.github.lockspring.spi.LockBackend;

/**
 * A process that takes part in an experiment, as the store sees it: with clients of its
 * own. Its contenders are its threads.
 */
final class Participant implements AutoCloseable {

	/**
	 * The expiry of the homemade locks, and the lease time of the others.
	 */
	static final Duration EXPIRY = Duration.ofMillis(400);

	private final Experiment experiment;

	private final Side side;

	private final String key;

	private final Clients clients;

	private final ScheduledExecutorService jobs = Executors.newSingleThreadScheduledExecutor();

	private final List<Contender> contenders = new CopyOnWriteArrayList<>();

	private final @Nullable LockTemplate locks;

	/**
	 * Create a participant.
	 * @param address where the store is
	 * @param key the key of the lock, without slashes
	 */
	Participant(Experiment experiment, Side side, String address, String key) {
		this.experiment = experiment;
		this.side = side;
		this.key = key;
		this.clients = new Clients(experiment.store(), address);
		this.locks = (side == Side.STARTER) ? connected(this.clients.backend()) : null;
	}

	/**
	 * The first call loads classes and connects, which can take longer than the lease
	 * time of the experiments in a process that has just started.
	 */
	private static LockTemplate connected(LockBackend backend) {
		LockTemplate locks = LockTemplate.builder(backend).leaseTime(EXPIRY).shutdownTimeout(Duration.ZERO).build();
		LockOptions options = locks.defaultOptions().withLeaseTime(Duration.ofSeconds(30));
		locks.acquire("connected:" + UUID.randomUUID(), options).close();
		return locks;
	}

	Contender contender() {
		return contender(Pause.NONE);
	}

	/**
	 * Return a new contender.
	 * @param pause what happens to it between two commands
	 */
	Contender contender(Pause pause) {
		Contender contender = (this.locks != null) ? new StarterContender(this.locks, this.key, pause)
				: Contender.of(homemade(pause));
		this.contenders.add(contender);
		return contender;
	}

	private HomemadeLock homemade(Pause pause) {
		return switch (this.experiment) {
			case SET_NX -> new SetNxLock(this.clients.redis(), this.key);
			case SET_NX_EXPIRE -> new SetNxExpireLock(this.clients.redis(), this.key, EXPIRY, pause);
			case SET_NX_PX -> new SetNxPxLock(this.clients.redis(), this.key, EXPIRY);
			case OWNER_IN_JAVA -> new OwnerInJavaLock(this.clients.redis(), this.key, EXPIRY, pause);
			case LUA_RELEASE -> new LuaReleaseLock(this.clients.redis(), this.key, EXPIRY);
			case REENTRANT_HASH, REENTRANT_HASH_RESTART ->
				new ReentrantHashLock(this.clients.redis(), this.key, EXPIRY);
			case WATCH_MULTI -> throw new IllegalStateException("Not a lock");
			case UNIQUE_ROW -> new UniqueRowLock(this.clients.database(), this.key);
			case CLEANED_ROW -> cleaned(new CleanedRowLock(this.clients.database(), this.key));
			case EPHEMERAL_NODE -> new EphemeralNodeLock(this.clients.zooKeeper(), "/homemade/" + this.key);
			case SEQUENTIAL_NODE -> new SequentialNodeLock(this.clients.zooKeeper(), "/homemade/" + this.key);
		};
	}

	private CleanedRowLock cleaned(CleanedRowLock lock) {
		this.jobs.scheduleWithFixedDelay(() -> {
			try {
				lock.cleanUp(EXPIRY);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}, 50, 50, TimeUnit.MILLISECONDS);
		return lock;
	}

	/**
	 * Return a customer who buys a piece of the stock at {@link #stockKey()}.
	 * @param decision the time to decide
	 */
	Customer customer(Pause decision) {
		RedisCommands<String, String> redis = this.clients.redis();
		if (this.side == Side.HOMEMADE) {
			return new OptimisticStock(redis, stockKey(), decision)::sell;
		}
		Contender contender = contender();
		return () -> {
			boolean inside = contender.enter(Duration.ofMinutes(1));
			int pieces = Integer.parseInt(redis.get(stockKey()));
			decision.here();
			redis.set(stockKey(), String.valueOf(pieces - 1));
			contender.leave();
			return inside;
		};
	}

	String stockKey() {
		return this.key + ":stock";
	}

	Clients clients() {
		return this.clients;
	}

	@Override
	public void close() {
		this.contenders.forEach(Contender::close);
		this.jobs.shutdownNow();
		try {
			if (this.locks != null) {
				this.locks.close();
			}
		}
		finally {
			this.clients.close();
		}
	}

	/**
	 * Something to do a hundred times at once.
	 */
	@FunctionalInterface
	interface Customer {

		/**
		 * Do it once.
		 * @return whether it succeeded
		 */
		boolean shop() throws Exception;

	}

}
