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

package io.github.lockspring.sample.demo;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.sample.WrongOptionException;
import io.github.lockspring.sample.stock.Strategy;
import io.github.lockspring.sample.store.StoreOption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link DemonstrationOptions}.
 */
class DemonstrationOptionsTests {

	@Test
	void defaultsAreThreeInstancesAndFiveThousandOrders() {
		DemonstrationOptions options = DemonstrationOptions.parse();
		assertThat(options.instances()).isEqualTo(3);
		assertThat(options.totalRequests()).isEqualTo(5000);
		assertThat(options.stock()).isEqualTo(5000);
		assertThat(options.strategies()).containsExactly(Strategy.values());
		assertThat(options.killOne()).isFalse();
		assertThat(options.store()).isEqualTo(StoreOption.parse("h2"));
		assertThat(options.instanceArguments()).isEmpty();
	}

	@Test
	void argumentsAreRead() {
		DemonstrationOptions options = DemonstrationOptions.parse("--instances=2", "--threads=4", "--requests=5",
				"--stock=6", "--strategies=no-lock,guarded-update", "--kill-one", "--store=redis");
		assertThat(options).isEqualTo(new DemonstrationOptions(2, 4, 5, 6,
				List.of(Strategy.NO_LOCK, Strategy.GUARDED_UPDATE), true, StoreOption.parse("redis"), List.of()));
	}

	@Test
	void otherArgumentsGoToTheInstances() {
		DemonstrationOptions options = DemonstrationOptions.parse("--threads=4", "--lock.backend=redis", "--debug");
		assertThat(options.instanceArguments()).containsExactly("--lock.backend=redis", "--debug");
	}

	@Test
	void whenNumberIsWrongThenMessageNamesTheOption() {
		assertThatExceptionOfType(WrongOptionException.class)
			.isThrownBy(() -> DemonstrationOptions.parse("--threads=many"))
			.withMessage("--threads must be a whole number above 0, not 'many'");
	}

	@Test
	void whenStrategyIsUnknownThenMessageNamesTheChoices() {
		assertThatExceptionOfType(WrongOptionException.class)
			.isThrownBy(() -> DemonstrationOptions.parse("--strategies=hope"))
			.withMessageContaining("guarded-update")
			.withMessageContaining("'hope'");
	}

	@Test
	void whenStoreIsUnknownThenMessageNamesTheChoices() {
		assertThatExceptionOfType(WrongOptionException.class)
			.isThrownBy(() -> DemonstrationOptions.parse("--store=oracle"))
			.withMessageContaining("zookeeper")
			.withMessageContaining("'oracle'");
	}

	@Test
	void lastInstanceIsNotKilled() {
		assertThatExceptionOfType(WrongOptionException.class)
			.isThrownBy(() -> DemonstrationOptions.parse("--instances=1", "--kill-one"));
	}

}
