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

package io.github.lockspring.simulator.threads;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.engine.AcquireOptions;
import io.github.lockspring.engine.EngineException;
import io.github.lockspring.engine.EngineListener;
import io.github.lockspring.engine.EngineSettings;
import io.github.lockspring.engine.LockEngine;
import io.github.lockspring.engine.PermitLedger;
import io.github.lockspring.local.LocalLockBackend;
import io.github.lockspring.local.LocalStore;
import io.github.lockspring.simulator.cluster.ClusterProcess;
import io.github.lockspring.simulator.machine.Node;
import io.github.lockspring.simulator.machine.Scheduler;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LockBackend;

/**
 * Run of some operations, each in a thread, on one engine. Checks that no two valid
 * claims exclude each other, that tokens grow, that no one waits for a key that is free,
 * that each loss is told once, and that nothing is left in the end.
 */
final class Trial {

	static final Duration OPERATION_TIMEOUT = Duration.ofMillis(200);

	private static final Set<String> RECORDED = Set.of("tryAcquire", "contend", "renew", "release", "releaseWithDelay",
			"downgrade", "forceRelease");

	private static final long SECOND = 1_000_000_000;

	private static final long MAX_SECONDS = 300;

	final Scheduler scheduler;

	final ClusterProcess process;

	final LocalStore store;

	final Speed speed;

	final List<Operation> operations = new ArrayList<>();

	final Duration leaseTime;

	private final List<Claim> claims = new ArrayList<>();

	private final List<Claim> allClaims = new ArrayList<>();

	private final Map<String, Long> busyUntil = new HashMap<>();

	private final Map<String, Long> lastTokens = new HashMap<>();

	private final Map<String, Integer> toldLosses = new HashMap<>();

	private final List<String> history = new ArrayList<>();

	private final List<Actor> actors = new ArrayList<>();

	private @Nullable UnreliableBackend backend;

	private @Nullable PermitLedger ledger;

	/**
	 * The sum of the additions to the value, and how many of them may have been made.
	 */
	long sum;

	long uncertain;

	/**
	 * Number of those that may hold the key without a claim, since their acquisition is
	 * not looked at yet.
	 */
	int unseen;

	private long lastAdded;

	/**
	 * When additions to the value were known to be made.
	 */
	private final List<Long> additions = new ArrayList<>();

	/**
	 * Tokens whose leases an operator wants to release.
	 */
	private final Set<Long> forceReleased = new HashSet<>();

	/**
	 * What must not happen and was seen where it cannot fail.
	 */
	private @Nullable String violation;

	/**
	 * Tokens of leases that were ended in the store. A holder to which the answer was
	 * still on its way learns of that with its next renewal.
	 */
	private final List<Long> endedTokens = new ArrayList<>();

	private Trial(long seed, int density, Speed speed, List<Operation> operations) {
		this.scheduler = new Scheduler(seed);
		this.scheduler.overtakeAtOneOf(Math.abs(density));
		if (density < 0) {
			this.scheduler.prioritize();
		}
		this.speed = speed;
		Node node = new Node(this.scheduler, "p");
		this.process = new ClusterProcess(node);
		this.store = new LocalStore(() -> Instant.ofEpochMilli(node.currentTimeMillis()));
		SplittableRandom random = this.scheduler.random();
		this.leaseTime = Duration.ofMillis(random.nextBoolean() ? 10_000 : (speed == Speed.IMMEDIATE) ? 30 : 300);
		this.operations.addAll(operations);
		for (int i = random.nextInt(5 - operations.size()); i > 0; i--) {
			Operation more = operations.get(random.nextInt(operations.size()));
			if (!more.isOfOperator()) {
				this.operations.add(more);
			}
		}
	}

	/**
	 * Run operations, and perhaps some of them in more threads.
	 * @param seed the seed
	 * @param density one of how many accesses to memory lets threads overtake; if
	 * negative, threads have priorities
	 * @param speed the speed of the store
	 * @param operations the operations
	 * @return the number of steps
	 */
	static long run(long seed, int density, Speed speed, Operation... operations) {
		Trial trial = new Trial(seed, density, speed, List.of(operations));
		try {
			trial.run();
			return trial.scheduler.steps();
		}
		catch (Throwable ex) {
			String call = "run(" + seed + ", " + density + ", Speed." + speed;
			for (Operation operation : operations) {
				call += ", Operation." + operation;
			}
			throw new AssertionError(call + ") failed: " + rootMessage(ex) + "\nthreads " + trial.operations + "\n"
					+ String.join("\n", trial.history) + '\n' + trial.scheduler.describeThreads(), ex);
		}
		finally {
			trial.scheduler.close();
		}
	}

	private static String rootMessage(Throwable ex) {
		Throwable cause = ex;
		while (cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause.toString();
	}

	LockEngine engine() {
		return this.process.engine();
	}

	PermitLedger ledger() {
		PermitLedger ledger = this.ledger;
		if (ledger == null) {
			ledger = new PermitLedger(engine());
			this.ledger = ledger;
		}
		return ledger;
	}

	/**
	 * Record the calls to a backend that change something.
	 */
	private LockBackend recorded(LockBackend backend) {
		return (LockBackend) Proxy.newProxyInstance(LockBackend.class.getClassLoader(),
				new Class<?>[] { LockBackend.class }, (proxy, method, arguments) -> {
					try {
						Object result = method.invoke(backend, arguments);
						if (result instanceof Grant) {
							busy(((LeaseRequest) arguments[0]).key());
						}
						if (RECORDED.contains(method.getName())) {
							record(Thread.currentThread().getName() + ": " + method.getName() + ' ' + arguments[0]
									+ " is " + result);
						}
						return result;
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	private LockBackend createBackend() {
		LockBackend local = recorded(new LocalLockBackend("local", this.store));
		if (this.speed == Speed.IMMEDIATE) {
			return local;
		}
		this.backend = new UnreliableBackend(local, this);
		return this.backend;
	}

	private void run() {
		EngineSettings settings = EngineSettings.defaults().withOperationTimeout(OPERATION_TIMEOUT);
		this.process.start(this::createBackend, settings, new Losses(), this::startActors);
		this.scheduler.run(SECOND);
		for (long second = 0; this.actors.stream().anyMatch((actor) -> !actor.isDone()); second++) {
			check(second < MAX_SECONDS, "Threads wait forever");
			this.scheduler.run(SECOND);
		}
		if (this.backend != null) {
			this.backend.heal();
		}
		settle();
		checkEnd();
	}

	/**
	 * Close the engine, but only after what is in progress had time to end.
	 */
	private void settle() {
		this.scheduler.run(2 * SECOND);
		if (!engine().isClosed()) {
			check(engine().size() == 0, () -> "Left in the engine: " + engine().inspection().snapshot());
			check(isFailing() || this.store.heldKeys().isEmpty(), () -> "Left in the store: " + this.store.heldKeys());
			this.process.node().start("user", () -> new Actor(this, "user").useOther());
			this.scheduler.run(SECOND);
		}
		this.process.node().start("closer", () -> {
			engine().start();
			new Actor(this, "closer").deleteValue();
			engine().close();
		});
		this.scheduler.run(30 * SECOND);
	}

	private void startActors() {
		int number = 0;
		for (Operation operation : this.operations) {
			Actor actor = new Actor(this, operation + "-" + number++);
			this.actors.add(actor);
			this.process.node().start(actor.toString(), () -> actor.run(operation));
		}
	}

	private void checkEnd() {
		check(this.violation == null, () -> String.valueOf(this.violation));
		check(engine().size() == 0, () -> "Left in the engine: " + engine().inspection().snapshot());
		check(engine().values().size() == 0 || has((operation) -> operation.group() == Operation.Group.SEMAPHORE),
				"A value is still watched");
		check(has(Operation.RESIZE::equals) ? this.store.heldKeys().isEmpty() : this.store.isEmpty(),
				() -> "Left in the store: " + this.store.heldKeys());
		check(this.process.node().liveThreads() == 0, "Threads are left");
		this.allClaims.stream().filter((claim) -> claim.hold != null).forEach(this::checkLosses);
	}

	/**
	 * Check that the loss of a claim was told once: to its callback, and to the listener
	 * once for each claim with its token. Others that share a lease may lose it before
	 * they are returned.
	 */
	private void checkLosses(Claim claim) {
		if (claim.lost != null) {
			check(claim.losses == (claim.lost ? 1 : 0), () -> claim + " was " + (claim.lost ? "" : "not ")
					+ "lost, which was told " + claim.losses + " times");
		}
		String id = told(claim);
		List<Claim> same = this.allClaims.stream().filter((other) -> told(other).equals(id)).toList();
		long lost = same.stream().filter((other) -> Boolean.TRUE.equals(other.lost)).count();
		long unknown = same.stream().filter((other) -> other.lost == null).count();
		int told = this.toldLosses.getOrDefault(id, 0);
		check(told >= lost && (told <= lost + unknown || !claim.isExclusive()),
				() -> same + ", of which " + lost + " were lost, which the listener was told " + told + " times");
	}

	private static String told(Claim claim) {
		return (claim.hold != null) ? told(claim.key, claim.hold.token()) : "";
	}

	private static String told(String key, long token) {
		return key + ' ' + token;
	}

	/**
	 * Return whether an exception is to be expected.
	 */
	boolean isExpected(EngineException ex) {
		return switch (ex.getReason()) {
			case CLOSED -> has(Operation::closes);
			case UNAVAILABLE -> isFailing() || has(Operation::loses);
			case LOST -> mayLose();
			default -> false;
		};
	}

	/**
	 * Return whether calls to the store may fail.
	 */
	boolean isFailing() {
		return this.speed == Speed.FAILING || this.speed == Speed.THROWING;
	}

	boolean has(Predicate<Operation> property) {
		return this.operations.stream().anyMatch(property);
	}

	/**
	 * Return whether leases may be lost.
	 */
	boolean mayLose() {
		return isFailing() || has((operation) -> operation.loses() || operation.closes());
	}

	/**
	 * Return whether keys that are free are acquired without delay.
	 */
	private boolean isPrompt() {
		return this.speed == Speed.IMMEDIATE && !has(Operation::stalls) && !has(Operation::closes);
	}

	/**
	 * Begin a claim, and check that it excludes no other.
	 */
	void begin(Claim claim) {
		if (claim.hold != null) {
			claim.hold.onLost(claim, () -> claim.losses++);
			long token = claim.hold.token();
			if (this.forceReleased.stream().anyMatch((last) -> isOfOneLease(token, last))) {
				this.forceReleased.add(token); // before the process knew the grant
				this.endedTokens.add(token);
			}
		}
		record("begin " + claim);
		if (isCertain(claim)) {
			List.copyOf(this.claims)
				.stream()
				.filter((other) -> claim.isLaterThan(other) && isCertain(claim))
				.forEach((other) -> check(!other.isValid(), () -> claim + " begins, and " + other + " goes on"));
		}
		checkTokens(claim);
		this.claims.add(claim);
		this.allClaims.add(claim);
		checkClaim(claim);
	}

	private void checkTokens(Claim claim) {
		if (claim.isExclusive() && claim.hold != null) {
			long last = this.lastTokens.getOrDefault(claim.key, 0L);
			long token = claim.hold.token();
			check(last < token || !isCertain(claim), () -> claim + " is not larger than the token " + last);
			this.lastTokens.put(claim.key, Math.max(last, token));
		}
	}

	/**
	 * Check that a claim excludes no other that is valid at the same time: those that are
	 * valid when asked again, after all were asked, were valid together.
	 */
	void checkClaim(Claim claim) {
		while (isCertain(claim)) {
			List<Claim> valid = validClaims(claim);
			int weight = claim.weight + valid.stream().mapToInt((other) -> other.weight).sum();
			if (weight <= claim.capacity) {
				return;
			}
			check(!valid.stream().allMatch(this::isCertain) || !isCertain(claim),
					() -> claim + " is valid beside " + valid);
		}
	}

	private List<Claim> validClaims(Claim claim) {
		return List.copyOf(this.claims)
			.stream()
			.filter((other) -> other != claim && other.key.equals(claim.key) && other.owner != claim.owner)
			.filter(this::isCertain)
			.toList();
	}

	private boolean isCertain(Claim claim) {
		return claim.isValid() && (claim.hold == null || !hasEnded(claim.hold.token()));
	}

	/**
	 * Return whether a token is of a lease that was ended in the store, which knows the
	 * last one of its tokens. A process may know another one.
	 */
	private boolean hasEnded(long token) {
		return this.endedTokens.stream().anyMatch((other) -> Math.abs(other - token) <= AcquireOptions.MAX_HAND_OFFS);
	}

	/**
	 * Return whether a token may be of the lease of which another one is the last.
	 */
	private static boolean isOfOneLease(long token, long last) {
		return last >= token && last - token <= AcquireOptions.MAX_HAND_OFFS;
	}

	/**
	 * End a claim, before the key is released.
	 */
	void end(Claim claim) {
		record("end " + claim);
		checkClaim(claim);
		this.claims.remove(claim);
		busy(claim.key);
	}

	/**
	 * Record that a key was not free until now.
	 */
	void busy(String key) {
		this.busyUntil.put(key, this.scheduler.now());
	}

	/**
	 * Check that a key was not free all the time for which someone has waited in vain. It
	 * is not free for a process whose claim has ended in the store without its knowledge,
	 * and until a lease expires of which its holder does not know.
	 * @param since since when
	 */
	void checkDenied(String key, long since) {
		check(!this.store.heldKeys().isEmpty() || this.claims.stream().anyMatch((claim) -> claim.key.equals(key))
				|| this.busyUntil.getOrDefault(key, 0L) >= since || isFailing() && has(Operation::stalls),
				() -> key + " was free, and denied");
	}

	/**
	 * Check that a key was not free while someone waited for it.
	 * @param key the key, for which someone has waited until now
	 * @param since since when
	 */
	void checkPrompt(String key, long since) {
		if (isPrompt() && this.unseen == 0 && this.claims.stream().noneMatch((claim) -> claim.key.equals(key))) {
			long free = this.scheduler.now() - Math.max(since, this.busyUntil.getOrDefault(key, 0L));
			check(free == 0, () -> key + " was free for " + free + " ns, and waited for");
		}
	}

	/**
	 * Record what happened, for a failure.
	 */
	void record(String what) {
		this.history.add(this.scheduler.now() + " ns: " + what);
	}

	/**
	 * End all leases of the key.
	 */
	void endInStore(String key) {
		record("all leases on " + key + " end in the store");
		this.store.holders(key).forEach((holder) -> this.endedTokens.add(holder.token()));
		this.store.expire(key);
		busy(key);
	}

	/**
	 * Record that an addition begins.
	 */
	void adding() {
		this.uncertain++;
		this.lastAdded = this.scheduler.now();
	}

	/**
	 * Record that an addition was made.
	 */
	void added() {
		this.uncertain--;
		this.sum++;
		this.additions.add(this.scheduler.now());
		this.lastAdded = this.scheduler.now();
	}

	/**
	 * Return how many additions were known to be made before a time.
	 */
	long addedBefore(long nanos) {
		return this.additions.stream().filter((added) -> added < nanos).count();
	}

	/**
	 * Record that an operator wants to release the lease of a holder. A reader that
	 * entered under its own write lock keeps the token of that.
	 */
	void forceReleasing(LeaseHolder holder) {
		this.forceReleased.add(holder.token());
		if (has(Operation.DOWNGRADE::equals)) {
			List.copyOf(this.claims)
				.stream()
				.filter((claim) -> claim.hold != null && !claim.isExclusive())
				.forEach((claim) -> this.forceReleased.add(claim.hold.token()));
		}
	}

	/**
	 * Return whether leases end in no other way than that an operator releases them.
	 */
	private boolean losesByForceOnly() {
		return !isFailing() && !has(
				(operation) -> operation != Operation.FORCE_RELEASE && (operation.loses() || operation.closes()));
	}

	/**
	 * Record a violation for the end of the trial.
	 */
	void violated(String what) {
		record(what);
		this.violation = what;
	}

	/**
	 * Return whether the value was changed just now, unless that takes time.
	 */
	boolean isAddedJustNow() {
		return !isPrompt() || this.lastAdded == this.scheduler.now();
	}

	static void check(boolean condition, String message) {
		check(condition, () -> message);
	}

	static void check(boolean condition, Supplier<String> message) {
		if (!condition) {
			throw new AssertionError(message.get());
		}
	}

	/**
	 * Speed of the store.
	 */
	enum Speed {

		IMMEDIATE, SLOW, FAILING,

		/**
		 * Calls fail, some with an {@link Error}.
		 */
		THROWING

	}

	/**
	 * Counts the losses that are told.
	 */
	private final class Losses implements EngineListener {

		@Override
		public void lost(String key, long token) {
			if (losesByForceOnly() && !Trial.this.forceReleased.contains(token)) {
				violated("The lease with token " + token + " was lost, which nobody has ended");
			}
			Trial.this.toldLosses.merge(told(key, token), 1, Integer::sum);
		}

	}

}
