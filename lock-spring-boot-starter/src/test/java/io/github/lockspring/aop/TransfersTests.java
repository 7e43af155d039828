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

package io.github.lockspring.aop;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.local.LocalStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two accounts are locked together by transfers in both directions.
 */
class TransfersTests {

	private static final int THREADS = 16;

	private static final int TRANSFERS = 1_000;

	@Test
	void transfersDoNotDeadlockAndNoMoneyIsLost() throws Exception {
		LocalStore store = new LocalStore();
		try (LockedProcess one = new LockedProcess(store); LockedProcess other = new LockedProcess(store)) {
			Bank target = new Bank();
			List<Bank> banks = List.of(one.proxy(target), other.proxy(target));
			Crowd.run(THREADS, (number) -> {
				Bank bank = banks.get(number % 2);
				for (int i = number; i < TRANSFERS; i += THREADS) {
					bank.transfer((i / 2) % 2, 1 - (i / 2) % 2, i % 7);
				}
			});
			assertThat(target.balances[0] + target.balances[1]).isEqualTo(2_000);
			assertThat(target.balances[0]).isEqualTo(expectedBalance());
			assertThat(target.transfers).isEqualTo(TRANSFERS);
		}
	}

	private static long expectedBalance() {
		long balance = 1_000;
		for (int i = 0; i < TRANSFERS; i++) {
			balance += ((i / 2) % 2 == 0) ? -(i % 7) : i % 7;
		}
		return balance;
	}

	static class Bank {

		private final long[] balances = { 1_000, 1_000 };

		private int transfers;

		@DistributedLock(name = "account", key = "{#from, #to}")
		void transfer(int from, int to, long amount) {
			long left = this.balances[from] - amount;
			long there = this.balances[to] + amount;
			Thread.yield();
			this.balances[from] = left;
			this.balances[to] = there;
			this.transfers++;
		}

	}

}
