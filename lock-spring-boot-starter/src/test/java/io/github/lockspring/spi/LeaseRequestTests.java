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

package io.github.lockspring.spi;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link LeaseRequest}.
 */
class LeaseRequestTests {

	private static final LeaseTerms TERMS = new LeaseTerms(LeaseMode.EXCLUSIVE, false, Duration.ofSeconds(1), 1);

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, 31, Long.MAX_VALUE, -1 })
	void ownerTextIsTheTextOfTheOwner(long sequence) {
		LeaseRequest request = new LeaseRequest("a", TERMS, OwnerId.newInstance(), sequence);
		assertThat(request.ownerText()).isEqualTo(request.owner().toString());
		assertThat(OwnerId.parse(request.ownerText())).isEqualTo(request.owner());
	}

}
