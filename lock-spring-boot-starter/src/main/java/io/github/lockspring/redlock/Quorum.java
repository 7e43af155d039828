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
package io.github.lockspring.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.Attempt;
import io.github.lockspring.spi.BackendException;
import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.Denial;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseHolder;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.OutcomeUnknownException;
import io.github.lockspring.spi.Renewal;
import io.github.lockspring.support.Durations;

/**
 * Counts votes: the result is that of more than half of all nodes, whether the others
 * respond or not.
 */
final class Quorum {

	/**
	 * Maximum random pause before the next attempt after split votes, which is also added
	 * to any other pause.
	 */
	private static final long JITTER_NANOS = Duration.ofMillis(50).toNanos();

	private static final Duration MAX_PAUSE = Duration.ofHours(1);

	private final List<String> names;

	private final int nodes;

	private final int needed;

	Quorum(List<String> names) {
		this.names = names;
		this.nodes = names.size();
		this.needed = this.nodes / 2 + 1;
	}

	/**
	 * Return whether more answers cannot change the outcome of an attempt: granted by a
	 * majority, or denied although a majority answered. If too many fail, all nodes are
	 * waited for, so that nothing is left on them.
	 */
	boolean decidesAttempt(List<NodeAnswer<Attempt>> answers) {
		int granted = grants(answers).size();
		int missing = this.nodes - answers.size();
		return granted >= this.needed || (granted + missing < this.needed && hasMajority(answers));
	}

	/**
	 * Return the time for which a majority keeps the lease, counted from the request.
	 * @return the time, zero if there is no majority
	 */
	Duration validity(List<NodeAnswer<Attempt>> answers, Duration leaseTime) {
		List<Grant> grants = grants(answers);
		if (grants.size() < this.needed) {
			return Duration.ZERO;
		}
		Duration kept = grants.stream()
			.map(Grant::validity)
			.sorted(Comparator.reverseOrder())
			.toList()
			.get(this.needed - 1);
		return Durations.min(kept, leaseTime);
	}

	/**
	 * Return the result of an attempt that was released.
	 * @param answers the answers to it
	 * @param clean whether all that was granted is known to be released
	 */
	Denial denial(List<NodeAnswer<Attempt>> answers, boolean clean) {
		int granted = grants(answers).size();
		if (hasMajority(answers) && granted < this.needed) {
			return new Denial(retryAfter(answers, granted));
		}
		String message = (granted >= this.needed) ? "Redlock took longer than the lease time to grant the lease"
				: message(answers);
		boolean complete = answers.size() == this.nodes
				&& answers.stream().noneMatch((answer) -> answer.failure() instanceof OutcomeUnknownException);
		throw (clean && complete) ? new BackendUnavailableException(message, cause(answers))
				: new OutcomeUnknownException(message, cause(answers));
	}

	/**
	 * Return the delay before the next attempt: until as many leases have ended as votes
	 * are missing, or a short delay if the votes were split. It is random, so that
	 * contenders do not split the votes again.
	 */
	private Duration retryAfter(List<NodeAnswer<Attempt>> answers, int granted) {
		long jitter = 1 + ThreadLocalRandom.current().nextLong(JITTER_NANOS);
		List<Duration> pauses = answers.stream()
			.map(NodeAnswer::value)
			.filter(Denial.class::isInstance)
			.map((denial) -> ((Denial) denial).retryAfter())
			.sorted()
			.toList();
		if (granted > 0 || pauses.size() < this.needed) {
			return Duration.ofNanos(jitter);
		}
		return Durations.min(pauses.get(this.needed - 1), MAX_PAUSE).plusNanos(jitter);
	}

	private static List<Grant> grants(List<NodeAnswer<Attempt>> answers) {
		return answers.stream().map(NodeAnswer::value).filter(Grant.class::isInstance).map(Grant.class::cast).toList();
	}

	boolean decidesRenewal(List<NodeAnswer<Renewal>> answers, Collection<LeaseRequest> leases) {
		return hasMajority(answers)
				&& leases.stream().allMatch((lease) -> isHeld(answers, lease) || isLost(answers, lease));
	}

	boolean isHeld(List<NodeAnswer<Renewal>> answers, LeaseRequest lease) {
		return count(answers, (renewal) -> renewal.held().contains(lease)) >= this.needed;
	}

	/**
	 * Return whether no majority is left that may hold the lease.
	 */
	boolean isLost(List<NodeAnswer<Renewal>> answers, LeaseRequest lease) {
		return this.nodes - count(answers, (renewal) -> renewal.lost().contains(lease)) < this.needed;
	}

	boolean decidesRelease(List<NodeAnswer<Boolean>> answers) {
		return hasMajority(answers) && (count(answers, (held) -> held) >= this.needed
				|| this.nodes - count(answers, (held) -> !held) < this.needed);
	}

	/**
	 * Return whether a majority may have held the lease until it was released.
	 * @throws BackendException if too few nodes answered
	 */
	boolean wasHeld(List<NodeAnswer<Boolean>> answers) {
		requireMajority(answers);
		return this.nodes - count(answers, (held) -> !held) >= this.needed;
	}

	/**
	 * Return the holders that a majority reports, with the time for which a majority
	 * keeps their leases.
	 */
	List<LeaseHolder> holders(List<NodeAnswer<List<LeaseHolder>>> answers) {
		return answers.stream()
			.map(NodeAnswer::value)
			.filter(Objects::nonNull)
			.flatMap(List::stream)
			.collect(Collectors.groupingBy(LeaseHolder::owner))
			.values()
			.stream()
			.filter((votes) -> votes.size() >= this.needed)
			.map(this::elected)
			.toList();
	}

	private LeaseHolder elected(List<LeaseHolder> votes) {
		LeaseHolder holder = votes.stream()
			.sorted(Comparator.comparing(LeaseHolder::remaining).reversed())
			.toList()
			.get(this.needed - 1);
		return new LeaseHolder(holder.owner(), holder.process(), holder.mode(), 0, holder.remaining());
	}

	/**
	 * Return whether no majority is left that may report a holder.
	 */
	boolean isFree(List<NodeAnswer<List<LeaseHolder>>> answers) {
		return hasMajority(answers) && this.nodes - count(answers, List::isEmpty) < this.needed;
	}

	boolean hasMajority(List<? extends NodeAnswer<?>> answers) {
		return answered(answers) >= this.needed;
	}

	/**
	 * Require that a majority answered a call that may have changed something.
	 */
	void requireMajority(List<? extends NodeAnswer<?>> answers) {
		if (!hasMajority(answers)) {
			boolean unknown = answers.size() < this.nodes || answered(answers) > 0
					|| answers.stream().anyMatch((answer) -> answer.failure() instanceof OutcomeUnknownException);
			throw unknown ? new OutcomeUnknownException(message(answers), cause(answers))
					: new BackendUnavailableException(message(answers), cause(answers));
		}
	}

	/**
	 * Require that a majority answered a call that changes nothing.
	 */
	void requireMajorityReachable(List<? extends NodeAnswer<?>> answers) {
		if (!hasMajority(answers)) {
			throw new BackendUnavailableException(message(answers), cause(answers));
		}
	}

	private static int answered(List<? extends NodeAnswer<?>> answers) {
		return (int) answers.stream().filter((answer) -> answer.value() != null).count();
	}

	private static <T> int count(List<NodeAnswer<T>> answers, Predicate<T> vote) {
		return (int) answers.stream()
			.map(NodeAnswer::value)
			.filter((value) -> value != null && vote.test(value))
			.count();
	}

	private String message(List<? extends NodeAnswer<?>> answers) {
		StringBuilder message = new StringBuilder("Only " + answered(answers) + " of " + this.nodes
				+ " Redlock nodes answered, " + this.needed + " are needed");
		List<String> silent = new ArrayList<>(this.names);
		for (NodeAnswer<?> answer : answers) {
			silent.remove(answer.node());
			if (answer.failure() != null) {
				message.append("; node '").append(answer.node()).append("': ").append(answer.failure().getMessage());
			}
		}
		silent.forEach((name) -> message.append("; node '").append(name).append("': no answer within the timeout"));
		return message.toString();
	}

	private static @Nullable BackendException cause(List<? extends NodeAnswer<?>> answers) {
		return answers.stream().map(NodeAnswer::failure).filter(Objects::nonNull).findFirst().orElse(null);
	}

}
