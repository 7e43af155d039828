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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockspring.spi.BackendListener;
import io.github.lockspring.spi.Grant;
import io.github.lockspring.spi.LeaseRequest;

/**
 * Contenders of this process, and the channel on which the servers publish grants and
 * changes of values to it. A message is the name of the Redis key of a value, followed by
 * its number and its version, or an owner to be retried, or an owner followed by the
 * token of a grant, its validity, the id of the denied attempt and the time since then,
 * both times in milliseconds, or an owner that lost a key, or whose lease is recalled.
 */
final class RedisContenders implements RedisChannel {

	private static final Log logger = LogFactory.getLog(RedisContenders.class);

	private final RedisCalls calls;

	private final RedisRequests requests;

	private final RedisValueBackend values;

	private final Duration timeout;

	/**
	 * Requests that are, or may be, in a queue. Not by the text of their owner, which a
	 * lease would keep as long as it is held.
	 */
	private final Map<LeaseRequest, LeaseRequest> queued = new ConcurrentHashMap<>();

	private volatile BackendListener listener = BackendListener.NONE;

	/**
	 * Create an instance without contenders.
	 * @param timeout the timeout for releasing a grant that is not used
	 */
	RedisContenders(RedisCalls calls, RedisRequests requests, RedisValueBackend values, Duration timeout) {
		this.calls = calls;
		this.requests = requests;
		this.values = values;
		this.timeout = timeout;
	}

	void setListener(BackendListener listener) {
		this.listener = listener;
	}

	/**
	 * Add a request.
	 * @return whether it was there before
	 */
	boolean add(LeaseRequest request) {
		return this.queued.put(request, request) != null;
	}

	void remove(LeaseRequest request) {
		if (!this.queued.isEmpty()) {
			this.queued.remove(request);
		}
	}

	Collection<LeaseRequest> all() {
		return new ArrayList<>(this.queued.values());
	}

	@Override
	public String name() {
		return this.requests.channel();
	}

	@Override
	public void message(String text) {
		BackendListener listener = this.listener;
		if (RedisKeys.isValue(text)) {
			this.values.notifyOf(text, listener);
			return;
		}
		String[] words = text.split(" ", 3);
		switch ((words.length == 3) ? words[1] : "") {
			case RedisOwners.LOST -> listener.onLost(RedisOwners.lease(words[0], words[2]));
			case RedisOwners.RECALL -> listener.onRecall(RedisOwners.lease(words[0], RedisKeys.keyOf(words[2])));
			default -> message(List.of(text.split(" ")), listener);
		}
	}

	private void message(List<String> words, BackendListener listener) {
		LeaseRequest sent = RedisOwners.requestOf(words.get(0));
		LeaseRequest request = (sent != null) ? this.queued.get(sent) : null;
		if (request == null) {
			return; // a request that timed out is released, or will be
		}
		if (words.size() < 5) {
			listener.onRetryHint(request);
			return;
		}
		Grant grant = new Grant(Long.parseLong(words.get(1)), Duration.ofMillis(Long.parseLong(words.get(2))));
		boolean taken = listener.onGranted(request, grant, Long.parseLong(words.get(3)),
				Duration.ofMillis(Long.parseLong(words.get(4))));
		this.queued.remove(request, request);
		if (!taken) {
			RedisCall release = this.requests.release(request);
			this.calls.runInBackground(release, this.timeout,
					() -> logger.debug("Could not release a grant; it will expire"));
		}
	}

	@Override
	public void failedOver() {
		BackendListener listener = this.listener;
		listener.onFailedOver();
		this.values.notifyOfAll(listener);
	}

	@Override
	public void listening() {
		BackendListener listener = this.listener;
		this.queued.values().forEach(listener::onRetryHint);
		listener.onRecallsMissed();
		this.values.notifyOfAll(listener);
	}

}
