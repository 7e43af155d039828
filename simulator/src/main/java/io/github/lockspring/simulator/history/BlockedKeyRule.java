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

package io.github.lockspring.simulator.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.simulator.history.Fact.FaultBegun;
import io.github.lockspring.simulator.history.Fact.FaultEnded;
import io.github.lockspring.simulator.history.Fact.FaultKind;
import io.github.lockspring.simulator.history.Fact.Outcome;
import io.github.lockspring.simulator.history.Fact.ProcessChange;
import io.github.lockspring.simulator.history.Fact.ProcessChanged;
import io.github.lockspring.simulator.history.LockFact.Mode;
import io.github.lockspring.simulator.history.LockFact.NotAcquired;

/**
 * A key does not stay blocked: if requests wait and each of them is compatible with the
 * claims that there are, one is granted within the time of a hand-off. For one lease time
 * after a fault, after the end of a process, and after an end of a claim or request that
 * the store may not know, there may be a lease that nobody owns. A request that was alone
 * is not denied, unless the key was released a moment ago and may be reserved for one
 * that has ended.
 * <p>
 * A process may retain the lease of a key that it had last. If it is paused, partitioned
 * or ended, the key may be blocked for one lease time more, and if it does not receive
 * recalls, until it notices that.
 * <p>
 * A process that is paused or partitioned neither waits nor holds. Keys for which it has
 * a request are not judged meanwhile, because it may have been granted without knowing,
 * nor those for which a request for several keys waits, because it may hold some already.
 */
final class BlockedKeyRule implements Rule {

	/**
	 * Longest time between two looks of the request that is next, on a store without
	 * notifications.
	 */
	private static final long LOOK_NANOS = 110_000_000;

	/**
	 * Longest time for which a store keeps a request that has ended without notice in its
	 * queue.
	 */
	private static final long ENTRY_NANOS = 5_000_000_000L;

	/**
	 * Longest time for which a process that retains leases does not notice that it
	 * receives no recalls.
	 */
	private static final long CHECK_NANOS = 9_000_000_000L;

	@Override
	public List<Finding> check(IndexedHistory history) {
		return new Pass(history).run();
	}

	/**
	 * One pass over a history.
	 */
	private static final class Pass {

		private final IndexedHistory history;

		private final List<Finding> findings = new ArrayList<>();

		private final Map<String, Key> keys = new LinkedHashMap<>();

		/**
		 * Operations of each process that wait or hold.
		 */
		private final Map<String, Set<Operation>> live = new HashMap<>();

		/**
		 * Operations that ended while their process was paused or partitioned, or the
		 * store failed.
		 */
		private final Map<String, Set<Operation>> leftBehind = new HashMap<>();

		/**
		 * How often a process is paused or partitioned.
		 */
		private final Map<String, Integer> suspended = new HashMap<>();

		private final Set<String> paused = new HashSet<>();

		private final Map<Long, FaultBegun> faults = new HashMap<>();

		/**
		 * When the processes have certainly connected again that were paused or
		 * partitioned.
		 */
		private final Map<String, Long> connecting = new HashMap<>();

		private boolean notificationLost;

		/**
		 * When the processes have noticed that they receive no recalls.
		 */
		private long recallsLostUntil;

		private int globalFaults;

		/**
		 * When the leases have ended that the last fault of all may have left.
		 */
		private long settled;

		private int line;

		Pass(IndexedHistory history) {
			this.history = history;
		}

		List<Finding> run() {
			for (this.line = 0; this.line < this.history.events().size(); this.line++) {
				Event event = this.history.events().get(this.line);
				if (event.fact() instanceof LockFact fact) {
					Operation operation = this.history.operation(fact.operation());
					if (operation != null) {
						step(operation, fact);
					}
				}
				else if (event.fact() instanceof ProcessChanged changed) {
					change(event.process(), changed.change());
				}
				else if (event.fact() instanceof FaultBegun fault) {
					begin(fault);
				}
				else if (event.fact() instanceof FaultEnded ended && this.faults.containsKey(ended.fault())) {
					end(this.faults.remove(ended.fault()));
				}
			}
			this.line = this.history.events().size() - 1;
			this.keys.values().forEach(this::judge);
			return this.findings;
		}

		private void step(Operation operation, LockFact fact) {
			if (this.line == operation.requested) {
				live(operation.process).add(operation);
				move(operation, true, 1);
			}
			else if (this.line == operation.answered) {
				leave(operation, operation.granted < 0 && !(fact instanceof NotAcquired));
				if (operation.granted >= 0) {
					live(operation.process).add(operation);
					move(operation, false, 1);
				}
				else if (fact instanceof NotAcquired && Key.isOfOneKey(operation)) {
					checkAlone(operation, key(operation.request.keys().get(0)));
				}
			}
			else if (this.line == operation.lossTold || this.line == operation.releaseEnded) {
				leave(operation, this.line == operation.lossTold || operation.release != Outcome.DONE);
			}
		}

		private void leave(Operation operation, boolean unknown) {
			if (live(operation.process).remove(operation)) {
				move(operation, waits(operation), -1);
			}
			boolean suspended = this.suspended.getOrDefault(operation.process, 0) > 0;
			if (suspended || this.globalFaults > 0) {
				this.leftBehind.computeIfAbsent(operation.process, (name) -> new LinkedHashSet<>()).add(operation);
			}
			if (unknown || suspended) {
				unsettle(operation);
			}
		}

		private void move(Operation operation, boolean waits, int sign) {
			boolean counts = waits ? this.suspended.getOrDefault(operation.process, 0) == 0
					: !this.paused.contains(operation.process);
			if (counts) {
				for (String name : operation.request.keys()) {
					Key key = key(name);
					judge(key);
					key.move(operation, waits, sign, this.line);
					key.settle(now(), sign > 0 && !waits);
				}
			}
		}

		/**
		 * Return whether an operation has been waiting until now.
		 */
		private boolean waits(Operation operation) {
			return operation.answered < 0 || this.line <= operation.answered;
		}

		/**
		 * A process may retain the leases that it had last, and not hear that they are
		 * recalled.
		 */
		private void unsettleRetained(String process) {
			this.keys.values()
				.stream()
				.filter((key) -> process.equals(key.retainer))
				.forEach((key) -> key.settled = Math.max(key.settled, now() + this.history.bounds().afterFault()));
		}

		private void unsettle(Operation operation) {
			operation.request.keys().forEach((name) -> {
				Key key = key(name);
				key.settled = now() + this.history.bounds().afterFault();
				if (operation.granted < 0) {
					key.requestsLeft = true;
					keepLeft(key);
				}
			});
		}

		private void change(String process, ProcessChange change) {
			if (change.isEnd()) {
				Set<Operation> ended = live(process);
				ended.forEach((operation) -> move(operation, waits(operation), -1));
				ended.forEach(this::unsettle);
				ended.clear();
				unsettleRetained(process);
				settleLeftBehind(process);
				this.suspended.merge(process, this.paused.remove(process) ? -1 : 0, Integer::sum);
			}
			else if (change.isPause() && !this.paused.contains(process)) {
				moveAll(process, false, -1);
				this.paused.add(process);
				suspend(process, 1);
			}
			else if (change == ProcessChange.RESUMED && this.paused.remove(process)) {
				moveAll(process, false, 1);
				suspend(process, -1);
			}
		}

		/**
		 * Count the waiting requests of a process, or no longer. Its holders learn by
		 * their own clocks that they are cut off, unless it is paused.
		 */
		private void suspend(String process, int sign) {
			if (sign > 0) {
				moveAll(process, true, -1);
			}
			this.suspended.merge(process, sign, Integer::sum);
			live(process).forEach(this::unsettle);
			unsettleRetained(process);
			if (sign < 0) {
				this.connecting.put(process, now() + this.history.bounds().afterFault());
				moveAll(process, true, 1);
				if (this.suspended.getOrDefault(process, 0) == 0) {
					settleLeftBehind(process);
				}
			}
		}

		/**
		 * What a process could not take back may have been renewed until now, with the
		 * session of the process.
		 */
		private void settleLeftBehind(String process) {
			this.leftBehind.getOrDefault(process, Set.of()).forEach(this::unsettle);
			this.leftBehind.remove(process);
		}

		private void moveAll(String process, boolean waiting, int sign) {
			live(process).stream()
				.filter((operation) -> waits(operation) == waiting)
				.forEach((operation) -> move(operation, waiting, sign));
		}

		private void begin(FaultBegun fault) {
			if (fault.kind().isOfMessage()) {
				if (fault.kind() == FaultKind.NOTIFICATION_LOST) {
					this.notificationLost = true;
					this.recallsLostUntil = now() + CHECK_NANOS;
				}
				return;
			}
			this.keys.values().forEach(this::judge);
			if (!fault.kind().lasts()) {
				this.settled = now() + this.history.bounds().afterFault();
				if (fault.kind() == FaultKind.FAILED_OVER) {
					this.keys.values().forEach(this::keepLeft);
				}
				return;
			}
			this.faults.put(fault.fault(), fault);
			if (isOfProcess(fault)) {
				suspend(fault.target(), 1);
			}
			else {
				this.globalFaults++;
			}
		}

		private void end(FaultBegun fault) {
			if (isOfProcess(fault)) {
				suspend(fault.target(), -1);
			}
			else {
				this.globalFaults--;
				this.settled = now() + this.history.bounds().afterFault();
				List.copyOf(this.leftBehind.keySet())
					.stream()
					.filter((process) -> this.suspended.getOrDefault(process, 0) == 0)
					.forEach(this::settleLeftBehind);
				this.keys.values().stream().filter((key) -> key.requestsLeft).forEach(this::keepLeft);
			}
		}

		/**
		 * The store may have received just now what a process sent before its end, or
		 * have requests again that have ended since.
		 */
		private void keepLeft(Key key) {
			key.leftUntil = now() + ENTRY_NANOS + this.history.bounds().reservationTime();
		}

		private boolean isOfProcess(FaultBegun fault) {
			return this.history.processes().contains(fault.target());
		}

		/**
		 * Look whether the key has been free for too long.
		 */
		private void judge(Key key) {
			long from = Math.max(Math.max(key.freeSince, key.settled), this.settled);
			long limit = Math.max(from, (key.retainer != null) ? this.recallsLostUntil : from)
					+ this.history.bounds().handOff();
			if (key.isFree && this.globalFaults == 0 && now() > limit && !isWantedBySuspended(key)
					&& !isKeptByFailing(key)) {
				this.findings.add(Finding.violation("blocked key", "'%s' is free since %d ns, and no request is granted"
					.formatted(key.name, now() - key.freeSince), key.freeLine, this.line));
				key.freeSince = now();
			}
		}

		private void checkAlone(Operation operation, Key key) {
			boolean delayed = this.faults.values()
				.stream()
				.anyMatch((fault) -> fault.kind() == FaultKind.DELAYED || fault.kind() == FaultKind.CLOCK_STOOD);
			if (!delayed && Math.max(key.settled, this.settled) < this.history.time(operation.requested)
					&& this.suspended.getOrDefault(operation.process, 0) == 0 && key.wasAlone(operation)
					&& !isWantedBySuspended(key) && !isKeptByFailing(key) && !isHandedOff(key)
					&& !isRecalledInVain(operation, key) && now() > key.leftUntil
					&& !key.isGrantedToOther(operation, this.history, now())) {
				this.findings.add(Finding.violation("blocked key",
						"%s is denied '%s', which nobody has".formatted(operation, key.name), operation.requested,
						operation.answered));
			}
		}

		/**
		 * Return whether the key was granted to a request of before its release, which
		 * need not know yet: it looks soon, or later if it was notified in vain, or never
		 * if it has ended.
		 */
		private boolean isHandedOff(Key key) {
			return key.isHandedOff() && (this.notificationLost || isReleasedWithin(LOOK_NANOS, key))
					|| key.requestsLeft && isReleasedWithin(this.history.bounds().reservationTime(), key);
		}

		/**
		 * Return whether the recall of the lease may be lost, or may have been made too
		 * late, because the process of the request was connecting to the store.
		 */
		private boolean isRecalledInVain(Operation operation, Key key) {
			long until = Math.max(this.recallsLostUntil, this.connecting.getOrDefault(operation.process, 0L));
			return key.retainer != null && this.history.time(operation.requested) < until;
		}

		private boolean isReleasedWithin(long nanos, Key key) {
			return key.heldUntil >= 0
					&& now() <= this.history.time(key.heldUntil) + nanos + this.history.bounds().slackTime();
		}

		/**
		 * Return whether the key may have been granted to a request that does not know.
		 */
		private boolean isWantedBySuspended(Key key) {
			return this.suspended.entrySet()
				.stream()
				.filter((entry) -> entry.getValue() > 0)
				.flatMap((entry) -> live(entry.getKey()).stream())
				.anyMatch((operation) -> waits(operation) && operation.request.keys().contains(key.name));
		}

		/**
		 * Return whether a process that is connected cannot release the key, because its
		 * calls fail.
		 */
		private boolean isKeptByFailing(Key key) {
			return this.faults.values()
				.stream()
				.filter((fault) -> fault.kind() == FaultKind.CALLS_FAILED)
				.anyMatch((fault) -> fault.target().equals(key.retainer)
						|| this.leftBehind.getOrDefault(fault.target(), Set.of())
							.stream()
							.anyMatch((operation) -> operation.request.keys().contains(key.name)));
		}

		private Set<Operation> live(String process) {
			return this.live.computeIfAbsent(process, (name) -> new LinkedHashSet<>());
		}

		private Key key(String name) {
			return this.keys.computeIfAbsent(name, Key::new);
		}

		private long now() {
			return this.history.time(this.line);
		}

	}

	/**
	 * State of one key at one line.
	 */
	private static final class Key {

		private final String name;

		private final Tally holding = new Tally();

		private final Tally waiting = new Tally();

		private final Set<Operation> requests = new LinkedHashSet<>();

		/**
		 * Last line at which a process had a request for the key alone, or anyone one for
		 * several keys.
		 */
		private final Map<String, Integer> requestedUntil = new HashMap<>();

		private int heldUntil = -1;

		/**
		 * Process that retains the lease, unless that was recalled.
		 */
		private @Nullable String retainer;

		/**
		 * Whether the store may still have requests that have ended.
		 */
		private boolean requestsLeft;

		/**
		 * Until when the last of them may be next, and keep the key for a moment.
		 */
		private long leftUntil;

		private int several;

		private int mostPermits;

		private int limit;

		private boolean isFree;

		private long freeSince;

		private int freeLine;

		private int line;

		private long settled;

		Key(String name) {
			this.name = name;
		}

		void move(Operation operation, boolean waits, int sign, int line) {
			this.line = line;
			Mode mode = operation.request.mode();
			(waits ? this.waiting : this.holding).add(mode, operation.request.permits(), sign);
			if (!waits) {
				this.heldUntil = line;
				this.retainer = (operation.request.retainTime() > 0) ? operation.process : null;
				return;
			}
			this.several += isOfOneKey(operation) ? 0 : sign;
			if (sign > 0) {
				this.requests.add(operation);
			}
			else {
				this.requests.remove(operation);
				this.requestedUntil.put(isOfOneKey(operation) ? operation.process : "", line);
			}
			this.mostPermits = this.requests.isEmpty() ? 0 : Math.max(this.mostPermits, operation.request.permits());
			this.limit = operation.request.limit();
		}

		/**
		 * Find out whether the key is free for each request, and since when.
		 */
		void settle(long now, boolean granted) {
			boolean free = !this.requests.isEmpty() && this.several == 0
					&& (this.holding.isEmpty() || this.waiting.isOnly(Mode.READ) && this.holding.allows(Mode.READ, 1, 1)
							|| this.waiting.isOnly(Mode.PERMITS)
									&& this.holding.allows(Mode.PERMITS, this.mostPermits, this.limit));
			if (free && (!this.isFree || granted)) {
				this.freeSince = now;
				this.freeLine = this.line;
			}
			this.isFree = free;
		}

		private static boolean isOfOneKey(Operation operation) {
			return operation.request.keys().size() == 1;
		}

		/**
		 * Return whether a request was waiting when the key was released, which may have
		 * been granted to it then.
		 */
		boolean isHandedOff() {
			return this.requests.stream().anyMatch((other) -> other.requested < this.heldUntil);
		}

		/**
		 * Return whether another operation is granted the key now, and does not know yet.
		 */
		boolean isGrantedToOther(Operation operation, IndexedHistory history, long now) {
			return this.requests.stream()
				.anyMatch((other) -> other != operation && other.granted >= 0
						&& history.time(other.granted) <= now + history.bounds().slackTime());
		}

		/**
		 * Return whether nobody held the key while an operation waited, and no other
		 * process requested it, or the same process with other keys.
		 */
		boolean wasAlone(Operation operation) {
			return this.holding.isEmpty() && this.heldUntil < operation.requested
					&& this.requests.stream()
						.allMatch((other) -> isOfOneKey(other) && other.process.equals(operation.process))
					&& this.requestedUntil.entrySet()
						.stream()
						.allMatch((entry) -> entry.getKey().equals(operation.process)
								|| entry.getValue() < operation.requested);
		}

	}

}
