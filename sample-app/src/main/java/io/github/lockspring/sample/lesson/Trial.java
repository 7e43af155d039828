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

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;

import org.apache.zookeeper.ZooDefs.OpCode;

import io.github.lockspring.LockException;
import io.github.lockspring.sample.process.ProcessPause;
import io.github.lockspring.server.FaultProxy;

/**
 * One experiment with one of the locks: what the owners A, B and C do, and what is done
 * to A. Used once.
 */
final class Trial {

	/**
	 * How long an owner waits that should get in: so much longer than the expiry that it
	 * is stuck otherwise.
	 */
	private static final Duration WAIT = Participant.EXPIRY.multipliedBy(5);

	/**
	 * How long an owner waits whose client has to connect again, which ZooKeeper's does
	 * after a random time of up to a second.
	 */
	private static final Duration RECONNECTING_WAIT = Participant.EXPIRY.multipliedBy(8);

	/**
	 * How long an owner works: less than the expiry.
	 */
	private static final Duration WORK = Participant.EXPIRY.dividedBy(4);

	private static final Set<Integer> CREATING = Set.of(OpCode.create, OpCode.create2, OpCode.multi);

	private final Lab lab;

	private final Experiment experiment;

	private final Side side;

	private final String key;

	private final Resource resource = new Resource();

	Trial(Lab lab, Experiment experiment, Side side) {
		this.lab = lab;
		this.experiment = experiment;
		this.side = side;
		this.key = experiment.id() + ':' + UUID.randomUUID();
	}

	Outcome run() throws Exception {
		return switch (this.experiment.fault()) {
			case KILL, KILL_BETWEEN -> kill();
			case SLOW_BODY -> slowBody();
			case PAUSE_IN_RELEASE -> pauseInRelease();
			case PAUSE -> pause();
			case RESTART -> restart();
			case LOST_REPLY -> lostReply();
			case CROWD -> new Crowd(this.lab, this.experiment, this.side, this.key).run();
		};
	}

	/**
	 * A dies while it holds the lock.
	 */
	private Outcome kill() throws Exception {
		try (HolderProcess first = process(); Participant process = participant()) {
			first.between(first::kill);
			first.enter(WAIT);
			this.resource.enter("A", Contender.UNFENCED);
			first.kill();
			this.resource.mark("A", "killed");
			this.resource.leave("A", "killed");
			return Outcome.of(entersAndLeaves(process.contender(), "B", WAIT) ? Verdict.EXACT : Verdict.STUCK,
					this.resource);
		}
	}

	/**
	 * A works for as long as B waits, unless B comes in meanwhile.
	 */
	private Outcome slowBody() throws Exception {
		try (Participant process = participant(); Participant other = participant()) {
			Contender first = process.contender();
			Contender second = other.contender();
			enter(first, "A", WAIT);
			boolean early = enter(second, "B", WAIT);
			write(first, "A");
			leave(first, "A");
			boolean entered = early || enter(second, "B", WAIT);
			return outcome(entered, other);
		}
	}

	/**
	 * A stands still in the middle of its release, until B is inside.
	 */
	private Outcome pauseInRelease() throws Exception {
		try (HolderProcess first = process(); Participant other = participant()) {
			Contender second = other.contender();
			enter(first, "A", WAIT);
			write(first, "A");
			boolean[] entered = new boolean[1];
			first.between(() -> entered[0] = entersWhilePaused(first, second));
			leave(first, "A");
			return outcome(entered[0], other);
		}
	}

	/**
	 * A stands still before it writes, until B is inside.
	 */
	private Outcome pause() throws Exception {
		try (HolderProcess first = process(); Participant other = participant()) {
			Contender second = other.contender();
			enter(first, "A", WAIT);
			boolean entered = entersWhilePaused(first, second);
			write(first, "A");
			leave(first, "A");
			return outcome(entered, other);
		}
	}

	private boolean entersWhilePaused(HolderProcess first, Contender second) throws Exception {
		try (ProcessPause pause = first.pause()) {
			this.resource.mark("A", "paused");
			return enter(second, "B", WAIT);
		}
		finally {
			this.resource.mark("A", "resumed");
		}
	}

	/**
	 * The store forgets that A holds the lock.
	 */
	private Outcome restart() throws Exception {
		try (Participant process = participant(); Participant other = participant()) {
			Contender first = process.contender();
			enter(first, "A", WAIT);
			this.lab.redis().restartEmpty();
			this.resource.mark("A", "restarted");
			boolean entered = enter(other.contender(), "B", WAIT);
			write(first, "A");
			leave(first, "A");
			return outcome(entered, other);
		}
	}

	/**
	 * A does not learn that the store has let it in.
	 */
	private Outcome lostReply() throws Exception {
		try (FaultProxy proxy = this.lab.proxy();
				Participant process = participant(proxy.host() + ':' + proxy.port());
				Participant other = participant()) {
			Contender first = process.contender();
			first.enter(WAIT);
			first.leave();
			proxy.dropReplyOf((request) -> CREATING.contains(request.opCode()));
			this.resource.mark("A", "reply-lost");
			entersAndLeaves(first, "A", RECONNECTING_WAIT);
			return Outcome.of(entersAndLeaves(other.contender(), "B", WAIT) ? Verdict.EXACT : Verdict.STUCK,
					this.resource);
		}
	}

	private boolean entersAndLeaves(Contender contender, String owner, Duration waitTime) throws Exception {
		if (!enter(contender, owner, waitTime)) {
			return false;
		}
		write(contender, owner);
		leave(contender, owner);
		return true;
	}

	/**
	 * While B is inside, C should find the lock taken.
	 */
	private Outcome outcome(boolean entered, Participant other) throws Exception {
		if (!entered) {
			return Outcome.of(Verdict.STUCK, this.resource);
		}
		try (Participant process = participant()) {
			boolean released = enter(process.contender(), "C", Duration.ZERO);
			Verdict otherwise = this.resource.hadTwoInside() ? Verdict.TWO_INSIDE : Verdict.EXACT;
			return Outcome.of(released ? Verdict.RELEASED_ANOTHER : otherwise, this.resource);
		}
	}

	/**
	 * The starter reports a store that does not answer by an exception.
	 */
	private boolean enter(Contender contender, String owner, Duration waitTime) throws Exception {
		boolean entered;
		try {
			entered = contender.enter(waitTime);
		}
		catch (LockException ex) {
			entered = false;
		}
		if (entered) {
			this.resource.enter(owner, contender.token());
		}
		else {
			this.resource.mark(owner, "outside");
		}
		return entered;
	}

	private void write(Contender contender, String owner) throws Exception {
		Thread.sleep(WORK.toMillis());
		this.resource.write(owner, contender.token());
	}

	private void leave(Contender contender, String owner) throws Exception {
		this.resource.leave(owner);
		contender.leave();
	}

	private HolderProcess process() throws IOException {
		return new HolderProcess(this.experiment, this.side, this.lab.address(this.experiment.store()), this.key);
	}

	private Participant participant() {
		return participant(this.lab.address(this.experiment.store()));
	}

	private Participant participant(String address) {
		return new Participant(this.experiment, this.side, address, this.key);
	}

}
