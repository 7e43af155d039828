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

/**
 * Node in the queue of a key. Its name contains everything that determines the holder, so
 * that one listing of names is sufficient: the owner, the mode, the number of fencing
 * tokens, and at the end the sequence number of ZooKeeper.
 * <p>
 * A request is granted when no node before it blocks it. Since a waiting node blocks
 * those behind it like one that holds, no request is overtaken.
 *
 * @param name the whole name
 * @param owner the text of the owner's id
 * @param mode the share that is held or wanted
 * @param tokens the number of fencing tokens
 * @param rest whether the owner has released the key with a delay that is not over
 * @param sequence the place in the queue
 */
record QueueNode(String name, String owner, LeaseMode mode, int tokens, boolean rest, int sequence) {

	/**
	 * By how much a transaction id is shifted to be a fencing token, so that the ids
	 * between two of them are tokens to hand on.
	 */
	static final int TOKEN_BITS = 12;

	/**
	 * The order of the queue. ZooKeeper's number has 32 bits and begins anew below zero
	 * after the largest one, hence the difference, and hence not the text.
	 */
	static final Comparator<QueueNode> ORDER = (one, other) -> one.sequence - other.sequence;

	/**
	 * The part of the name that a request has chosen, before ZooKeeper adds the number.
	 */
	static String prefix(LeaseRequest request) {
		return prefix(request.owner().toString(), request.terms().mode(), request.terms().tokens(), false);
	}

	private static String prefix(String owner, LeaseMode mode, int tokens, boolean rest) {
		return owner + '-' + text(mode) + tokens + (rest ? "r_" : "_");
	}

	/**
	 * The whole name of the node that a request has created, if it was given a number.
	 */
	static String name(LeaseRequest request, int sequence) {
		String digits = Long.toString(Math.abs((long) sequence));
		int zeros = ((sequence < 0) ? 9 : 10) - digits.length();
		return prefix(request) + ((sequence < 0) ? "-" : "") + "0".repeat(Math.max(0, zeros)) + digits;
	}

	/**
	 * Reads the number in the name of a node of ours.
	 */
	static int sequence(String name) {
		return Integer.parseInt(name, name.lastIndexOf('_') + 1, name.length(), 10);
	}

	private static String text(LeaseMode mode) {
		if (mode instanceof Permits some) {
			return "p" + some.permits() + "of" + some.limit() + ((some.version() > 0) ? "v" + some.version() : "")
					+ "t";
		}
		return (mode == LeaseMode.EXCLUSIVE) ? "x" : "s";
	}

	/**
	 * Reads a name.
	 * @throws BackendUnavailableException if the name was not created by this version: it
	 * may belong to another application or to a later version
	 */
	static QueueNode parse(String name) {
		try {
			int end = name.lastIndexOf('_');
			int start = name.lastIndexOf('-', end);
			boolean rest = name.charAt(end - 1) == 'r';
			String terms = name.substring(start + 1, rest ? end - 1 : end);
			int tokens = Integer.parseInt(terms.substring((terms.charAt(0) == 'p') ? terms.indexOf('t') + 1 : 1));
			return new QueueNode(name, name.substring(0, start), mode(terms), tokens, rest,
					Integer.parseInt(name.substring(end + 1)));
		}
		catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
			throw new BackendUnavailableException("ZooKeeper has foreign data among the lock nodes: the node '"
					+ name.replaceAll("[^\\w.:-]", "?") + "' was not created by this library", ex);
		}
	}

	private static LeaseMode mode(String terms) {
		return switch (terms.charAt(0)) {
			case 'x' -> LeaseMode.EXCLUSIVE;
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
	 * The name of the node that replaces this one when its lease becomes that of another
	 * request.
	 */
	String replacedBy(LeaseRequest request) {
		return prefix(request) + sequenceText();
	}

	/**
	 * The name of the node that replaces this one until the delay of a release is over.
	 */
	String resting() {
		return prefix(this.owner, this.mode, this.tokens, true) + sequenceText();
	}

	private String sequenceText() {
		return this.name.substring(this.name.lastIndexOf('_') + 1);
	}

	/**
	 * Reads names and puts them in order.
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
	 * The nodes before the one of this name.
	 * @return the nodes, to be changed at will, or {@code null} if there is no node of
	 * this name
	 */
	static @Nullable List<QueueNode> before(String name, List<String> names) {
		if (names.size() == 1) {
			return names.get(0).equals(name) ? Collections.emptyList() : null;
		}
		List<QueueNode> queue = queue(names);
		for (int i = 0; i < queue.size(); i++) {
			if (queue.get(i).name.equals(name)) {
				return new ArrayList<>(queue.subList(0, i));
			}
		}
		return null;
	}

	/**
	 * The nodes at the head of a queue that hold the key.
	 */
	static List<QueueNode> holders(List<QueueNode> queue) {
		int i = 0;
		while (i < queue.size() && queue.get(i).blockers(queue.subList(0, i)).isEmpty()) {
			i++;
		}
		return queue.subList(0, i);
	}

	/**
	 * The nodes to watch: as long as all of them are there, this one is not granted. They
	 * are the nearest ones that suffice to keep it out: the one before it, or for a
	 * reader the last writer, or as many as leave too few permits.
	 * @param before the nodes before this one, in order
	 * @return the nodes, none if this one is granted
	 */
	List<QueueNode> blockers(List<QueueNode> before) {
		List<QueueNode> blockers = new ArrayList<>(1);
		int left = (this.mode instanceof Permits some) ? some.limit() - some.permits() : 0;
		for (int i = before.size() - 1; i >= 0; i--) {
			QueueNode other = before.get(i);
			if (other.mode instanceof Permits theirs && this.mode instanceof Permits) {
				blockers.add(other);
				left -= theirs.permits();
				if (left < 0) {
					return blockers;
				}
			}
			else if (this.mode != LeaseMode.SHARED || other.mode != LeaseMode.SHARED) {
				return List.of(other);
			}
		}
		return List.of();
	}

	/**
	 * Find the permits whose limit takes precedence: it is newer, or a different one of
	 * the same version in a node before this one.
	 * @param before the nodes before this one
	 * @param queue the names of all nodes
	 * @return the permits, or {@code null}
	 */
	@Nullable Permits superseding(List<QueueNode> before, List<String> queue) {
		if (!(this.mode instanceof Permits mine)) {
			return null;
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
		return (latest != mine) ? latest : null;
	}

}
