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

package io.github.lockspring.sample.page;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import io.github.lockspring.sample.instance.InstanceClient;
import io.github.lockspring.sample.process.ProcessPause;
import io.github.lockspring.sample.store.Store;

/**
 * Breaks things on demand, one at a time, and mends them. Thread-safe.
 */
@Component
@Profile(PageLauncher.PROFILE)
class Breaks implements DisposableBean {

	private static final Log logger = LogFactory.getLog(Breaks.class);

	/**
	 * Longer than the lease of five seconds.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(7);

	private static final Duration STORE_PAUSE = Duration.ofSeconds(3);

	/**
	 * How long a process may take until it holds a lock; it is paused in any case.
	 */
	private static final Duration ARMED = Duration.ofSeconds(5);

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final Cluster cluster;

	private final Store store;

	private final EventStream events;

	private final InstanceClient client = new InstanceClient(() -> "");

	private final ExecutorService thread = Executors.newSingleThreadExecutor();

	private boolean busy;

	Breaks(Cluster cluster, Store store, EventStream events) {
		this.cluster = cluster;
		this.store = store;
		this.events = events;
	}

	/**
	 * Break something; returns at once.
	 * @param kind {@code pause}, {@code kill} or {@code stop-store}
	 * @param instance the name of the instance, {@code null} for any
	 * @throws RefusedException if there is no such thing, or it cannot be broken now
	 */
	void start(String kind, @Nullable String instance) {
		Damage damage = switch (kind) {
			case "pause" -> pause(breakable(instance));
			case "kill" -> kill(breakable(instance));
			case "stop-store" -> stopStore();
			default -> throw new RefusedException(Refusal.UNKNOWN_BREAK, Map.of("kind", kind));
		};
		begin();
		this.thread.execute(() -> {
			try {
				damage.run();
			}
			catch (IOException | RuntimeException ex) {
				logger.warn("Not broken", ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			finally {
				end();
			}
		});
	}

	private synchronized void begin() {
		if (this.busy) {
			throw new RefusedException(Refusal.BROKEN_ALREADY);
		}
		this.busy = true;
	}

	private synchronized void end() {
		this.busy = false;
	}

	private Member breakable(@Nullable String name) {
		Member member = (name != null) ? this.cluster.member(name)
				: this.cluster.members()
					.stream()
					.filter((candidate) -> candidate.isBreakable() && candidate.state() == Member.State.SERVING)
					.findFirst()
					.orElseThrow(() -> new RefusedException(Refusal.NO_INSTANCE));
		if (!member.isBreakable()) {
			throw new RefusedException(Refusal.SERVES_PAGE, Map.of("instance", member.name()));
		}
		if (member.state() != Member.State.SERVING) {
			throw new RefusedException(Refusal.NOT_SERVING, Map.of("instance", member.name()));
		}
		return member;
	}

	private Damage kill(Member member) {
		return () -> this.cluster.replace(member);
	}

	private Damage pause(Member member) {
		return () -> {
			awaitHolder(member);
			ProcessPause pause = member.instance().pause();
			try {
				member.setState(Member.State.PAUSED);
				this.events.incident(member.name(), "paused", null);
				this.events.stateChanged();
				Thread.sleep(PAUSE.toMillis());
			}
			finally {
				pause.close();
			}
			member.setState(Member.State.SERVING);
			this.events.incident(member.name(), "resumed", null);
			this.events.stateChanged();
		};
	}

	/**
	 * Wait until the instance has stopped itself inside a critical section, if it enters
	 * one in time.
	 */
	private void awaitHolder(Member member) throws IOException, InterruptedException {
		this.client.send("PUT", member.address(), "/fault/holder-pause", TIMEOUT);
		long deadline = System.nanoTime() + ARMED.toNanos();
		while (!member.instance().isPaused() && System.nanoTime() < deadline) {
			Thread.sleep(20);
		}
		if (!member.instance().isPaused()) {
			this.client.send("DELETE", member.address(), "/fault/holder-pause", TIMEOUT);
		}
	}

	private Damage stopStore() {
		if (!this.store.isStoppable()) {
			throw new RefusedException(Refusal.NOT_STOPPABLE);
		}
		return () -> {
			this.store.pause();
			this.events.incident(null, "store-stopped", this.store.name());
			try {
				Thread.sleep(STORE_PAUSE.toMillis());
			}
			finally {
				this.store.resume();
				this.events.incident(null, "store-resumed", this.store.name());
			}
		};
	}

	@Override
	public void destroy() {
		this.thread.shutdownNow();
	}

	private interface Damage {

		void run() throws IOException, InterruptedException;

	}

}
