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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.spi.LeaseMode;
import io.github.lockspring.spi.LeaseRequest;
import io.github.lockspring.spi.LeaseTerms;
import io.github.lockspring.spi.OwnerId;
import io.github.lockspring.spi.ProcessName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisRequests}.
 */
class RedisRequestsTests {

	private final RedisRequests requests = new RedisRequests();

	private final LeaseRequest request = new LeaseRequest("key",
			new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(30), 1), OwnerId.newInstance(), 0xf00d);

	@Test
	void textThatNamesNoOwnerIsNoRequest() {
		assertThat(RedisOwners.requestOf("no owner of ours")).isNull();
		assertThat(RedisOwners.requestOf("abc-xyz")).isNull();
	}

	@Test
	void recordAndOwnerBeginWithTheTextOfTheOwner() {
		this.requests.identify(OwnerId.newInstance(), new ProcessName("orders", "host-1", 7));
		String owner = this.request.ownerText() + RedisOwners.suffix(new ProcessName("orders", "host-1", 7));
		assertThat(text(this.requests.acquire(this.request, false, null))).isEqualTo("1 x " + owner + ' ');
		assertThat(text(this.requests.release(this.request))).isEqualTo("1 x " + owner + ' ');
		assertThat(text(this.requests.renewal(List.of(this.request)))).isEqualTo(owner);
	}

	private static String text(RedisCall call) {
		return new String(call.args()[0], StandardCharsets.ISO_8859_1);
	}

}
