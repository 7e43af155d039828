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
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.ProcessName;

/**
 * Encoding of requests of one process as calls of scripts.
 */
final class RedisRequests {

	/**
	 * Time for which the server keeps the last token of a free key, as in the scripts.
	 */
	private static final long RETENTION_MILLIS = 10_000;

	private static final byte[] EXCLUSIVE = { 'x' };

	private static final byte[] SHARED = { 's' };

	private static final byte[] ONE = { '1' };

	/**
	 * Suffix of the owners as stored.
	 */
	private volatile String ownerSuffix = "";

	private volatile String channel = RedisOwners.channelOf(OwnerId.newInstance());

	void identify(String instance, ProcessName process) {
		this.ownerSuffix = RedisOwners.suffix(process);
		this.channel = RedisOwners.channelOf(instance);
	}

	/**
	 * Return the name of the channel of this process.
	 */
	String channel() {
		return this.channel;
	}

	/**
	 * Encode an attempt.
	 * @param recallable whether the lease is to be recallable
	 * @param how the flags and the channel of a contender, or {@code null}
	 */
	RedisCall acquire(LeaseRequest request, boolean recallable, byte @Nullable [] how) {
		return new RedisCall(RedisScript.ACQUIRE, RedisKeys.of(request), acquireArgs(request, recallable, how));
	}

	private byte[][] acquireArgs(LeaseRequest request, boolean recallable, byte @Nullable [] how) {
		LeaseTerms terms = request.terms();
		long lease = terms.leaseTime().toMillis();
		byte[] head = recordOf(request, recallable);
		byte[] time = RedisCall.arg(lease);
		byte[] ttl = RedisCall.arg(lease + RETENTION_MILLIS);
		byte[] tokens = (terms.tokens() == 1) ? ONE : RedisCall.arg(terms.tokens());
		byte[] mode = mode(terms.mode());
		return (how != null) ? new byte[][] { head, time, ttl, tokens, mode, how }
				: new byte[][] { head, time, ttl, tokens, mode };
	}

	private static byte[] mode(LeaseMode mode) {
		if (mode instanceof LeaseMode.Permits some) {
			String version = (some.version() > 0) ? " " + some.version() : "";
			return RedisCall.arg("p " + some.permits() + ' ' + some.limit() + version);
		}
		return (mode == LeaseMode.EXCLUSIVE) ? EXCLUSIVE : SHARED;
	}

	RedisCall poll(List<LeaseRequest> batch, byte[] channel) {
		byte[][] keys = new byte[batch.size()][];
		byte[][] args = new byte[batch.size() + 1][];
		args[0] = channel;
		for (int i = 0; i < keys.length; i++) {
			keys[i] = RedisKeys.of(batch.get(i))[0];
			args[i + 1] = owner(batch.get(i));
		}
		return new RedisCall(RedisScript.POLL, keys, args);
	}

	RedisCall renewal(List<LeaseRequest> leases) {
		List<byte[]> keys = new ArrayList<>();
		List<byte[]> args = new ArrayList<>();
		for (LeaseRequest lease : leases) {
			byte[][] names = RedisKeys.of(lease);
			keys.addAll(List.of(names));
			args.add(owner(lease));
			args.add(RedisCall.arg(lease.terms().leaseTime().toMillis()));
			args.add(RedisCall.arg(names.length));
		}
		return new RedisCall(RedisScript.RENEW, keys.toArray(byte[][]::new), args.toArray(byte[][]::new));
	}

	RedisCall delayedRelease(LeaseRequest lease, Duration delay) {
		long millis = delay.plusNanos(999_999).toMillis();
		return new RedisCall(RedisScript.RELEASE_WITH_DELAY, RedisKeys.of(lease), owner(lease), RedisCall.arg(millis));
	}

	RedisCall release(LeaseRequest lease) {
		return new RedisCall(RedisScript.RELEASE, RedisKeys.of(lease), recordOf(lease, lease.terms().recallable()));
	}

	RedisCall declinedRecall(LeaseRequest lease) {
		return new RedisCall(RedisScript.DECLINE_RECALL, RedisKeys.of(lease), owner(lease));
	}

	RedisCall downgrade(LeaseRequest held, LeaseRequest weaker) {
		LeaseTerms terms = weaker.terms();
		return new RedisCall(RedisScript.DOWNGRADE, RedisKeys.of(held), owner(held), owner(weaker),
				RedisCall.arg(terms.leaseTime().toMillis()), RedisCall.arg(terms.tokens()), mode(terms.mode()));
	}

	/**
	 * Return the beginning of the record of an exclusive lease.
	 */
	private byte[] recordOf(LeaseRequest request, boolean recallable) {
		return owner(recallable ? "1 r " : "1 x ", request, " ");
	}

	private byte[] owner(LeaseRequest request) {
		return owner("", request, "");
	}

	private byte[] owner(String before, LeaseRequest request, String after) {
		return RedisCall.arg(before + request.ownerText(this.ownerSuffix) + after);
	}

}
