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

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseMode.Permits;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.PermitLimitException;
import io.github.lockspring.spi.state.KeyState;

/**
 * Node in the queue of a key. Its name contains everything that determines the holder, so
 * that one listing of names is sufficient: the owner, the mode, the number of fencing
 * tokens, and at the end the sequence number of ZooKeeper.
 * <p>
 * A request is granted when no node before it blocks it. Since a waiting node blocks
 * those behind it in the same way as that of a holder, no request is overtaken.
 *
 * @param name the whole name
 * @param owner the text of the id of the owner
 * @param mode the share that is held or wanted
 * @param tokens the number of fencing tokens
 * @param released whether this is the placeholder of an owner that has released the key
 * with a delay
 * @param recallable whether the owner is asked to release the key for others
 * @param sequence the position in the queue
 */
record QueueNode(String name, String owner, LeaseMode mode, int tokens, boolean released, boolean recallable,
		int sequence) {

	/**
	 * Number of bits by which a transaction id is shifted to get a fencing token, so that
	 * the numbers between two of them are tokens for hand-offs.
	 */
	static final int TOKEN_BITS = 12;

	/**
	 * Order of the queue. Sequence numbers of ZooKeeper have 32 bits and overflow to
	 * negative ones, hence they are compared by their difference, and not as text.
	 */
	static final Comparator<QueueNode> ORDER = (one, other) -> one.sequence - other.sequence;

	/**
	 * Mode of an exclusive lease that is recallable.
	 */
	private static final String RECALLABLE = "r";

	/**
	 * Sequence number from which on the numbers of a key should begin anew.
	 */
	private static final int LATE = 1 << 30;

	/**
	 * Return the part of the name before the sequence number, which is added by
	 * ZooKeeper.
	 */
	static String prefix(LeaseRequest request) {
		LeaseTerms terms = request.terms();
		return prefix(request.ownerText(), terms.recallable() ? RECALLABLE : text(terms.mode()), terms.tokens(), false);
	}

	private static String prefix(String owner, String mode, int tokens, boolean released) {
		return owner + '-' + mode + tokens + (released ? "r_" : "_");
	}

	/**
	 * Return the whole name of the node of a request with a sequence number.
	 */
	static String name(LeaseRequest request, int sequence) {
		String digits = Long.toString(Math.abs((long) sequence));
		int zeros = ((sequence < 0) ? 9 : 10) - digits.length();
		return prefix(request) + ((sequence < 0) ? "-" : "") + "0".repeat(Math.max(0, zeros)) + digits;
	}

	/**
	 * Return the first fencing token of a lease.
	 * @param transaction the id of the transaction that created its node
	 * @return the token, negative if the id is too high, after half a million elections
	 * of a leader
	 */
	static long firstToken(long transaction) {
		return (transaction <= Long.MAX_VALUE >> TOKEN_BITS) ? transaction << TOKEN_BITS : -1;
	}

	/**
	 * Parse the sequence number in the name of a node.
	 */
	static int sequence(String name) {
		return Integer.parseInt(name, name.lastIndexOf('_') + 1, name.length(), 10);
	}

	/**
	 * Return whether the sequence number of a node is high, or beyond the last one.
	 */
	static boolean isLate(String name) {
		int sequence = sequence(name);
		return sequence < 0 || sequence >= LATE;
	}

	/**
	 * Return whether other nodes may have the same sequence number, because ZooKeeper
	 * stops counting at the last one. Their order in the queue is unknown.
	 */
	static boolean isUnordered(int sequence) {
		return sequence < 0 || sequence == Integer.MAX_VALUE;
	}

	private static String text(LeaseMode mode) {
		if (mode instanceof Permits some) {
			return "p" + some.permits() + "of" + some.limit() + ((some.version() > 0) ? "v" + some.version() : "")
					+ "t";
		}
		return (mode == LeaseMode.EXCLUSIVE) ? "x" : "s";
	}

	/**
	 * Parse a name.
	 * @throws BackendUnavailableException if the name was not created by this version: it
	 * may belong to another application or to a later version
	 */
	static QueueNode parse(String name) {
		try {
			int end = name.lastIndexOf('_');
			int start = name.lastIndexOf('-', end);
			boolean released = name.charAt(end - 1) == 'r';
			String terms = name.substring(start + 1, released ? end - 1 : end);
			int tokens = Integer.parseInt(terms.substring((terms.charAt(0) == 'p') ? terms.indexOf('t') + 1 : 1));
			return new QueueNode(name, name.substring(0, start), mode(terms), tokens, released,
					terms.startsWith(RECALLABLE), Integer.parseInt(name.substring(end + 1)));
		}
		catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
			throw new BackendUnavailableException("ZooKeeper has foreign data among the lock nodes: the node '"
					+ name.replaceAll("[^\\w.:-]", "?") + "' was not created by this library", ex);
		}
	}

	private static LeaseMode mode(String terms) {
		return switch (terms.charAt(0)) {
			case 'x', 'r' -> LeaseMode.EXCLUSIVE;
			case 's' -> LeaseMode.SHARED;
			case 'p' -> permits(terms.substring(1, terms.indexOf('t')));
			default -> throw new IllegalArgumentException("Unknown mode");
		};
	}

	private static LeaseMode permits(String text) {
		int of = text.indexOf("of");
		int version = text.indexOf('v');
		int end = (version > 0) ? version : text.length();
		return LeaseMode.permits(Integer.parseInt(text.substring(0, of)), Integer.parseInt(text.substring(of + 2, end)),
				(version > 0) ? Long.parseLong(text.substring(version + 1)) : 0);
	}

	/**
	 * Return the name of the node that replaces this one for a weaker request.
	 */
	String replacedBy(LeaseRequest request) {
		return prefix(request) + sequenceText();
	}

	/**
	 * Return the name of the placeholder that replaces this node until the delay of a
	 * release is over.
	 */
	String placeholder() {
		return prefix(this.owner, text(this.mode), this.tokens, true) + sequenceText();
	}

	private String sequenceText() {
		return this.name.substring(this.name.lastIndexOf('_') + 1);
	}

	/**
	 * Parse names, and sort them in the order of the queue.
	 */
	static List<QueueNode> queue(List<String> names) {
		List<QueueNode> queue = new ArrayList<>(names.size());
		for (String name : names) {
			queue.add(parse(name));
		}
		queue.sort(ORDER);
		return queue;
	}

	/**
	 * Return the nodes before the one with a name. Before one without an order are all
	 * others: those that were created earlier are among them, so that two of them are not
	 * granted if they block each other.
	 * @return the nodes, in a modifiable list, or {@code null} if there is no node with
	 * this name
	 */
	static @Nullable List<QueueNode> before(String name, List<String> names) {
		if (names.size() == 1) {
			return names.get(0).equals(name) ? Collections.emptyList() : null;
		}
		List<QueueNode> queue = queue(names);
		if (isUnordered(sequence(name))) {
			return queue.removeIf((node) -> node.name.equals(name)) ? queue : null;
		}
		for (int i = 0; i < queue.size(); i++) {
			if (queue.get(i).name.equals(name)) {
				return new ArrayList<>(queue.subList(0, i));
			}
		}
		return null;
	}

	/**
	 * Return the nodes at the head of a queue that hold the key.
	 */
	static List<QueueNode> holders(List<QueueNode> queue) {
		int i = 0;
		while (i < queue.size() && queue.get(i).blockers(queue.subList(0, i)).isEmpty()) {
			i++;
		}
		return queue.subList(0, i);
	}

	/**
	 * Return the nodes to watch: as long as all of them exist, this one is not granted.
	 * They are the nearest ones that are sufficient to block it: the one before it, or
	 * for a reader the last writer, or as many as leave too few permits.
	 * @param before the nodes before this one, in order
	 * @return the nodes, none if this one is granted
	 */
	List<QueueNode> blockers(List<QueueNode> before) {
		List<QueueNode> blockers = new ArrayList<>(1);
		int spare = KeyState.spare(this.mode);
		long left = spare;
		for (int i = before.size() - 1; i >= 0; i--) {
			QueueNode other = before.get(i);
			int taken = KeyState.taken(other.mode, this.mode);
			if (taken > spare) {
				return List.of(other);
			}
			if (taken > 0) {
				blockers.add(other);
				left -= taken;
			}
			if (left < 0) {
				return blockers;
			}
		}
		return List.of();
	}

	/**
	 * Reject permits whose limit is superseded: another one is newer, or a different one
	 * of the same version is in a node before this one.
	 * @param before the nodes before this one
	 * @param queue the names of all nodes
	 * @throws PermitLimitException if another limit applies
	 */
	void checkLimit(List<QueueNode> before, List<String> queue) {
		if (!(this.mode instanceof Permits mine)) {
			return;
		}
		Permits latest = mine;
		for (QueueNode other : before) {
			if (other.mode instanceof Permits theirs && latest.isSupersededBy(theirs)) {
				latest = theirs;
			}
		}
		for (String name : queue) {
			if (name.indexOf('v') >= 0 && parse(name).mode instanceof Permits theirs
					&& theirs.version() > latest.version()) {
				latest = theirs;
			}
		}
		if (latest != mine) {
			throw new PermitLimitException(mine, latest.limit(), latest.version());
		}
	}

}
