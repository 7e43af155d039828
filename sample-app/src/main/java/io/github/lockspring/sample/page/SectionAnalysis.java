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

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.sample.timeline.Access;
import io.github.lockspring.sample.timeline.Outcome;
import io.github.lockspring.sample.timeline.Section;

/**
 * What the critical sections of a run show. A section whose lease was lost counts for its
 * own column only: it was notified, or its write was rejected.
 *
 * @param overlaps sections that were entered while another was inside that excludes them
 * @param handOffsInside exclusive sections that followed one of the same instance
 * @param handOffsBetween exclusive sections that followed one of another instance
 * @param mostAtOnce the most that were inside at once
 * @param lost sections that ended with a lost lease
 * @param refused sections whose write was rejected because of its fencing token
 */
record SectionAnalysis(int overlaps, int handOffsInside, int handOffsBetween, int mostAtOnce, int lost, int refused) {

	private static final Comparator<Section> BY_START = Comparator.comparingDouble(Section::start);

	/**
	 * Analyse the sections of one key.
	 * @param sections the sections, in any order
	 * @param permits how many permits there are
	 */
	static SectionAnalysis of(Collection<Section> sections, int permits) {
		List<Section> held = new ArrayList<>(
				sections.stream().filter((section) -> !isLost(section)).sorted(BY_START).toList());
		Inside inside = new Inside();
		int overlapping = 0;
		int insideJvm = 0;
		int betweenJvms = 0;
		int most = 0;
		Section previous = null;
		for (Section section : held) {
			inside.removeUntil(section.start());
			overlapping += inside.excludes(section, permits) ? 1 : 0;
			inside.add(section);
			most = Math.max(most, inside.size());
			if (section.access() == Access.EXCLUSIVE) {
				insideJvm += follows(section, previous, true) ? 1 : 0;
				betweenJvms += follows(section, previous, false) ? 1 : 0;
				previous = section;
			}
		}
		return new SectionAnalysis(overlapping, insideJvm, betweenJvms, most, count(sections, Outcome.LOST),
				count(sections, Outcome.REFUSED));
	}

	private static boolean isLost(Section section) {
		return section.outcome() == Outcome.LOST || section.outcome() == Outcome.REFUSED;
	}

	private static boolean follows(Section section, @Nullable Section previous, boolean sameInstance) {
		return previous != null && previous.instance().equals(section.instance()) == sameInstance;
	}

	private static int count(Collection<Section> sections, Outcome outcome) {
		return (int) sections.stream().filter((section) -> section.outcome() == outcome).count();
	}

	/**
	 * The sections that are inside at one time.
	 */
	private static final class Inside {

		private final PriorityQueue<Section> sections = new PriorityQueue<>(Comparator.comparingDouble(Section::end));

		private int exclusive;

		void removeUntil(double time) {
			while (!this.sections.isEmpty() && this.sections.element().end() <= time) {
				this.exclusive -= (this.sections.remove().access() == Access.EXCLUSIVE) ? 1 : 0;
			}
		}

		boolean excludes(Section section, int permits) {
			return switch (section.access()) {
				case EXCLUSIVE -> !this.sections.isEmpty();
				case SHARED -> this.exclusive > 0;
				case PERMIT -> this.sections.size() >= permits;
			};
		}

		void add(Section section) {
			this.sections.add(section);
			this.exclusive += (section.access() == Access.EXCLUSIVE) ? 1 : 0;
		}

		int size() {
			return this.sections.size();
		}

	}

}
