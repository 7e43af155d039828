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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import io.github.lockspring.sample.timeline.Incident;
import io.github.lockspring.sample.timeline.Section;

/**
 * The sections and the progress of the current or the last run, and the latest incidents,
 * for pages that are opened later. Contains {@value #MAX_SECTIONS} sections and
 * {@value #MAX_INCIDENTS} incidents at most, the latest ones. Thread-safe.
 */
@Component
@Profile(PageLauncher.PROFILE)
class History {

	/**
	 * More than a run has requests, as some are sent again.
	 */
	static final int MAX_SECTIONS = 25_000;

	static final int MAX_INCIDENTS = 200;

	/**
	 * The key of the sections of the run. Guarded by this object's monitor.
	 */
	private String key = "";

	/**
	 * In the order in which they were entered, as far as it is known. Guarded by this
	 * object's monitor.
	 */
	private final Map<Entry, Section> sections = new LinkedHashMap<>();

	/**
	 * Of the run, which is limited in time. Guarded by this object's monitor.
	 */
	private final List<Meter.Progress> progress = new ArrayList<>();

	/**
	 * Guarded by this object's monitor.
	 */
	private final Deque<Incident> incidents = new ArrayDeque<>();

	/**
	 * Forget the sections and the progress, and keep those of another run from now on.
	 * @param key the key of its sections, which those of other runs do not have
	 */
	synchronized void begin(String key) {
		this.key = key;
		this.sections.clear();
		this.progress.clear();
	}

	/**
	 * Keep sections if they belong to the run; one that was kept while it was open is
	 * replaced.
	 * @return those that belong to the run
	 */
	synchronized List<Section> add(List<Section> added) {
		List<Section> kept = added.stream().filter((section) -> section.key().equals(this.key)).toList();
		for (Section section : kept) {
			this.sections.put(Entry.of(section), section);
			if (this.sections.size() > MAX_SECTIONS) {
				this.sections.remove(this.sections.keySet().iterator().next());
			}
		}
		return kept;
	}

	synchronized void add(Meter.Progress progress) {
		this.progress.add(progress);
	}

	synchronized void add(Incident incident) {
		this.incidents.add(incident);
		if (this.incidents.size() > MAX_INCIDENTS) {
			this.incidents.remove();
		}
	}

	synchronized Contents read() {
		return new Contents(List.copyOf(this.sections.values()), List.copyOf(this.progress),
				List.copyOf(this.incidents));
	}

	private record Entry(String instance, String thread, double start) {

		static Entry of(Section section) {
			return new Entry(section.instance(), section.thread(), section.start());
		}

	}

	/**
	 * What is known of the run.
	 *
	 * @param sections its sections
	 * @param progress how far it was, in order
	 * @param incidents the incidents of this run and of earlier ones
	 */
	record Contents(List<Section> sections, List<Meter.Progress> progress, List<Incident> incidents) {

	}

}
