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

package io.github.lockspring.faults;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/**
 * What holders of exclusive locks have seen, and whether it can be true. Times are those
 * of {@link System#nanoTime()}, which the processes of one machine share.
 */
public final class LockHistory {

	private final Queue<Acquisition> acquisitions = new ConcurrentLinkedQueue<>();

	public void add(Acquisition acquisition) {
		this.acquisitions.add(acquisition);
	}

	public void clear() {
		this.acquisitions.clear();
	}

	public List<Acquisition> acquisitions() {
		return List.copyOf(this.acquisitions);
	}

	/**
	 * Finds acquisitions of a key that began while another was valid.
	 * @return the pairs, without any tolerance
	 */
	public List<Overlap> overlaps() {
		List<Overlap> overlaps = new ArrayList<>();
		for (List<Acquisition> ofKey : byKey()) {
			ofKey.removeIf((acquisition) -> acquisition.until() <= acquisition.from());
			ofKey.sort(Comparator.comparingLong(Acquisition::from));
			Acquisition last = null;
			for (Acquisition next : ofKey) {
				if (last != null && next.from() < last.until()) {
					overlaps.add(new Overlap(last, next));
				}
				last = (last == null || next.until() > last.until()) ? next : last;
			}
		}
		return overlaps;
	}

	/**
	 * Finds tokens that went back: a token that is not larger than one that had arrived
	 * before its own acquisition was asked for. Holds even if the store forgets.
	 * @return descriptions of the pairs
	 */
	public List<String> tokensThatWentBack() {
		return disorder(Comparator.comparingLong(Acquisition::from), Acquisition::from,
				Comparator.comparingLong(Acquisition::asked), Acquisition::asked);
	}

	/**
	 * Finds tokens that are not larger than that of an acquisition which was over when
	 * theirs began. Holds as long as acquisitions exclude each other.
	 * @return descriptions of the pairs
	 */
	public List<String> tokensOutOfOrder() {
		return disorder(Comparator.comparingLong(Acquisition::until), Acquisition::until,
				Comparator.comparingLong(Acquisition::from), Acquisition::from);
	}

	private List<String> disorder(Comparator<Acquisition> endOrder, Time end, Comparator<Acquisition> beginOrder,
			Time begin) {
		List<String> disorder = new ArrayList<>();
		for (List<Acquisition> ofKey : byKey()) {
			List<Acquisition> later = new ArrayList<>(ofKey);
			ofKey.sort(endOrder);
			later.sort(beginOrder);
			Acquisition largest = null;
			int i = 0;
			for (Acquisition next : later) {
				while (i < ofKey.size() && end.of(ofKey.get(i)) < begin.of(next)) {
					Acquisition former = ofKey.get(i++);
					largest = (largest == null || former.token() > largest.token()) ? former : largest;
				}
				if (largest != null && largest != next && next.token() <= largest.token()) {
					disorder.add(next + " after " + largest);
				}
			}
		}
		return disorder;
	}

	/**
	 * Finds tokens that were granted more than once.
	 * @return the tokens with their keys
	 */
	public List<String> tokensGrantedTwice() {
		List<String> twice = new ArrayList<>();
		for (List<Acquisition> ofKey : byKey()) {
			Set<Long> tokens = new HashSet<>();
			ofKey.stream()
				.filter((acquisition) -> !tokens.add(acquisition.token()))
				.forEach((acquisition) -> twice.add(acquisition.toString()));
		}
		return twice;
	}

	private Collection<List<Acquisition>> byKey() {
		Map<String, List<Acquisition>> byKey = this.acquisitions.stream()
			.collect(Collectors.groupingBy(Acquisition::key, Collectors.toCollection(ArrayList::new)));
		return byKey.values();
	}

	/**
	 * One acquisition.
	 *
	 * @param key the key
	 * @param holder who it was
	 * @param token the fencing token
	 * @param asked when it was asked for
	 * @param from when the grant had arrived
	 * @param until when the release was asked for, the loss was reported, or the lease
	 * was over, whatever came first
	 */
	public record Acquisition(String key, String holder, long token, long asked, long from, long until) {
	}

	/**
	 * Two acquisitions of a key at the same time.
	 *
	 * @param first the one that was there
	 * @param second the one that began meanwhile
	 */
	public record Overlap(Acquisition first, Acquisition second) {
	}

	/**
	 * A time of an acquisition.
	 */
	private interface Time {

		long of(Acquisition acquisition);

	}

}
