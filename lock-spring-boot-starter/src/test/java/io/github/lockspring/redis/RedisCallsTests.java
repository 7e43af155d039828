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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.github.lockspring.spi.OutcomeUnknownException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RedisCalls}.
 */
class RedisCallsTests {

	private final RedisClientAdapter client = mock(RedisClientAdapter.class);

	private final RedisCalls calls = new RedisCalls(this.client, RedisLockSettings.defaults());

	@ParameterizedTest
	@CsvSource({ "20, within 20 ms", "0, in time" })
	void silenceIsReportedWithTheTimeThatTheServerHad(long millis, String time) {
		RedisCall call = new RedisCall(RedisScript.PROBE, new byte[][] { "key".getBytes(StandardCharsets.UTF_8) });
		given(this.client.send(any(), anyBoolean(), any())).willReturn(new CompletableFuture<>());
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> this.calls.runText(call, Duration.ofMillis(millis)))
			.withMessage("Redis did not respond " + time);
		then(this.client).should().suspect(call);
	}

	@Test
	void callThatTheClientHasCanceledDoesNotAffectOthers() {
		RedisCall call = new RedisCall(RedisScript.PROBE, new byte[][] { "key".getBytes(StandardCharsets.UTF_8) });
		CompletableFuture<RedisReply> canceled = new CompletableFuture<>();
		canceled.cancel(true);
		RedisReply reply = mock(RedisReply.class);
		given(this.client.sendAll(any(), any()))
			.willReturn(List.of(canceled, CompletableFuture.completedFuture(reply)));
		given(this.client.translate(any(CancellationException.class)))
			.willReturn(new OutcomeUnknownException("canceled", null));
		assertThat(this.calls.runAll(List.of(call, call), Duration.ofSeconds(1))).containsExactly(null, reply);
	}

}
