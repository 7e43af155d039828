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

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockspring.sample.instance.InstanceClient;
import io.github.lockspring.sample.timeline.Section;
import io.github.lockspring.sample.timeline.Timeline;

/**
 * Collects the timelines of all instances, sends what belongs to the current or the last
 * run to the pages, and keeps it in the history. An instance that does not answer,
 * because it is paused, delays no other. Thread-safe.
 */
@Component
@Profile(PageLauncher.PROFILE)
class TimelineCollector implements DisposableBean {

	private static final long PERIOD_MILLIS = 250;

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final EventStream events;

	private final Cluster cluster;

	private final History history;

	private final InstanceClient client = new InstanceClient(() -> "");

	private final Map<String, Feed> feeds = new ConcurrentHashMap<>();

	private final ScheduledExecutorService threads = new ScheduledThreadPoolExecutor(2);

	TimelineCollector(EventStream events, Cluster cluster, History history) {
		this.events = events;
		this.cluster = cluster;
		this.history = history;
		this.threads.scheduleWithFixedDelay(this::collectInBackground, PERIOD_MILLIS, PERIOD_MILLIS,
				TimeUnit.MILLISECONDS);
	}

	private void collectInBackground() {
		for (Member member : this.cluster.members()) {
			if (member.state() == Member.State.SERVING) {
				Feed feed = feed(member);
				if (!feed.busy) {
					feed.busy = true;
					this.threads.execute(() -> {
						collect(member);
						feed.busy = false;
					});
				}
			}
		}
	}

	/**
	 * Collect what the instances have recorded until now.
	 */
	void collect() {
		this.cluster.members()
			.stream()
			.filter((member) -> member.state() == Member.State.SERVING)
			.forEach(this::collect);
	}

	private void collect(Member member) {
		try {
			Feed feed = feed(member);
			synchronized (feed) {
				publish(feed.read(this.client, member));
			}
		}
		catch (IOException | IllegalStateException ex) {
			// paused, killed or overloaded: the next attempt may get it
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Return the feed of a member: one that was replaced has a new timeline.
	 */
	private Feed feed(Member member) {
		return this.feeds.compute(member.name(), (name, feed) -> (feed != null && feed.address.equals(member.address()))
				? feed : new Feed(member.address()));
	}

	private void publish(Timeline.Excerpt excerpt) {
		List<Section> sections = this.history.add(excerpt.sections());
		if (!sections.isEmpty()) {
			this.events.send("sections", sections);
		}
		excerpt.incidents().forEach(this.events::incident);
	}

	@Override
	public void destroy() {
		this.threads.shutdownNow();
	}

	/**
	 * What was read of the timeline of one instance.
	 */
	private static final class Feed {

		private final String address;

		private Timeline.Position position = Timeline.Position.START;

		private volatile boolean busy;

		Feed(String address) {
			this.address = address;
		}

		Timeline.Excerpt read(InstanceClient client, Member member) throws IOException, InterruptedException {
			String path = "/timeline?sections=%d&incidents=%d".formatted(this.position.sections(),
					this.position.incidents());
			String body = InstanceClient.requireOk(client.send("GET", member.address(), path, TIMEOUT));
			Timeline.Excerpt excerpt = JsonMapper.shared().readValue(body, Timeline.Excerpt.class);
			this.position = excerpt.position();
			return excerpt;
		}

	}

}
