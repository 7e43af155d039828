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

package io.github.lockspring.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.springframework.data.redis.connection.RedisNode;

import io.github.lockspring.spi.BackendUnavailableException;
import io.github.lockspring.support.Deadline;

/**
 * Connections to a sentinel: one for queries, one for its announcements.
 */
final class SentinelLinks implements SentinelWatch.Sentinel {

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private final RedisLink queries;

	private final RedisLink announcements;

	private final String primaryName;

	private volatile CompletableFuture<Boolean> announced = new CompletableFuture<>();

	private SentinelLinks(RedisLink queries, RedisLink announcements, String primaryName) {
		this.queries = queries;
		this.announcements = announcements;
		this.primaryName = primaryName;
	}

	/**
	 * Connect and subscribe.
	 */
	static SentinelLinks connect(RedisDriver driver, RedisNode node) {
		RedisLink queries = driver.connectSentinel(node, false);
		try {
			SentinelLinks links = new SentinelLinks(queries, driver.connectSentinel(node, true), driver.primaryName());
			links.subscribe();
			return links;
		}
		catch (RuntimeException ex) {
			queries.close();
			throw ex;
		}
	}

	private void subscribe() {
		try {
			this.announcements.subscribe(SentinelWatch.CHANNELS, (text) -> this.announced.complete(true), TIMEOUT);
		}
		catch (RuntimeException ex) {
			this.announcements.close();
			throw ex;
		}
	}

	@Override
	public SentinelWatch.Report report() {
		this.announced = new CompletableFuture<>();
		List<String> address = query("GET-MASTER-ADDR-BY-NAME");
		if (address.size() != 2) {
			throw new BackendUnavailableException("Unknown master name '" + this.primaryName + "'", null);
		}
		List<String> words = query("MASTER");
		Map<String, String> facts = new HashMap<>();
		for (int i = 0; i + 1 < words.size(); i += 2) {
			facts.put(words.get(i), words.get(i + 1));
		}
		return SentinelWatch.Report.of(address, facts);
	}

	private List<String> query(String question) {
		long deadline = Deadline.after(TIMEOUT);
		return this.queries
			.await(this.queries.ask(deadline, "SENTINEL", question, this.primaryName), deadline, "primary")
			.texts();
	}

	@Override
	public void awaitAnnouncement(Duration timeout) {
		CompletableFuture<Boolean> announced = this.announced;
		long deadline = Deadline.after(timeout);
		this.announcements.drive(announced, deadline);
		try {
			announced.get(Deadline.remainingNanos(deadline), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			long end = Deadline.after(TIMEOUT);
			this.announcements.await(this.announcements.ask(end, "PING"), end, "presence");
		}
		catch (InterruptedException | ExecutionException ex) {
			Thread.currentThread().interrupt();
			throw new BackendUnavailableException("Interrupted while waiting for the sentinel", ex);
		}
	}

	@Override
	public void close() {
		this.queries.close();
		this.announcements.close();
	}

}
