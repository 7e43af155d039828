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

package io.github.lockspring.test;

import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;
import org.springframework.test.context.support.DirtiesContextTestExecutionListener;

/**
 * Resets {@link TestLocks} after each test: after its transaction has ended, and before
 * its context is closed.
 */
final class TestLocksTestExecutionListener extends AbstractTestExecutionListener implements Ordered {

	private static final String STARTED = TestLocksTestExecutionListener.class.getName() + ".started";

	/**
	 * Order after {@link DirtiesContextTestExecutionListener} and before the listener of
	 * transactions.
	 */
	private static final int ORDER = 3500;

	@Override
	public int getOrder() {
		return ORDER;
	}

	@Override
	public void beforeTestMethod(TestContext testContext) {
		if (testContext.hasApplicationContext()) {
			testContext.getApplicationContext().getBeanProvider(TestLocks.class).ifUnique((locks) -> {
				locks.testStarted();
				testContext.setAttribute(STARTED, locks);
			});
		}
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		if (testContext.removeAttribute(STARTED) instanceof TestLocks locks) {
			locks.testFinished();
		}
	}

}
