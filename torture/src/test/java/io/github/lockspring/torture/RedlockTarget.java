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

package io.github.lockspring.torture;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.lockspring.server.FaultProxy;
import io.github.lockspring.server.RedisServer;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.torture.StoreAddress.ClientType;
import io.github.lockspring.torture.TortureSchedule.Step;

/**
 * Three independent Redis servers. Each fault happens to one of them, or to connections
 * to one or two.
 */
final class RedlockTarget implements TortureStore {

	private static final int SERVERS = 3;

	/**
	 * Longer than a lease: until then, what a server has granted has expired.
	 */
	private static final long EXPIRED_MILLIS = 2500;

	private final Map<RedisTarget, ServerFaults> servers = new LinkedHashMap<>();

	private final Map<TortureFault, Inflictor> faults = new EnumMap<>(TortureFault.class);

	RedlockTarget(ServerFaults faults) {
		for (int i = 1; i <= SERVERS; i++) {
			ServerFaults own = faults.ofAnother("store-" + i);
			own.prepareStart();
			RedisTarget target = new RedisTarget(ClientType.LETTUCE, own);
			target.faults().put(TortureFault.STORE_EMPTIED, emptied(target.server()));
			this.servers.put(target, own);
		}
		one(0).faults().keySet().forEach((fault) -> this.faults.put(fault, this::inflict));
	}

	/**
	 * A server without its data comes back when what it had granted has expired, so that
	 * nothing is forgotten.
	 */
	private static Inflictor emptied(RedisServer server) {
		return (step, log) -> ServerFaults.lasting(FaultKind.STOPPED, server::kill, server::restartEmpty)
			.inflict(step.longer(EXPIRED_MILLIS), log);
	}

	@Override
	public List<FaultProxy> newProxies() {
		return this.servers.keySet().stream().flatMap((server) -> server.newProxies().stream()).toList();
	}

	@Override
	public StoreAddress address(List<FaultProxy> proxies) {
		return new StoreAddress(ClientType.REDLOCK,
				proxies.stream().map((proxy) -> proxy.host() + ":" + proxy.port()).collect(Collectors.joining(",")));
	}

	/**
	 * Return the proxies before one or two servers, so that a worker may be alone with
	 * the third.
	 */
	@Override
	public List<FaultProxy> affected(Step step, List<FaultProxy> proxies) {
		long choice = step.duration() % (2 * SERVERS);
		FaultProxy one = proxies.get((int) choice / 2);
		return (choice % 2 == 0) ? List.of(one) : proxies.stream().filter((proxy) -> proxy != one).toList();
	}

	@Override
	public Map<TortureFault, Inflictor> faults() {
		return this.faults;
	}

	private RedisTarget one(long number) {
		return List.copyOf(this.servers.keySet()).get((int) (number % SERVERS));
	}

	private boolean inflict(Step step, FaultLog log) throws InterruptedException {
		RedisTarget server = one(step.duration());
		this.servers.get(server).prepareStart();
		return server.faults().get(step.fault()).inflict(step, log);
	}

	@Override
	public void ask() {
		this.servers.keySet().forEach(RedisTarget::ask);
	}

	@Override
	public void assertNothingLeft() {
		this.servers.keySet().forEach(RedisTarget::assertNothingLeft);
	}

	@Override
	public void close() {
		this.servers.keySet().forEach(RedisTarget::close);
	}

}
