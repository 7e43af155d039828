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

import java.util.function.Predicate;

import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

import io.github.lockspring.support.KeyFormat;

/**
 * AssertJ assertions about {@link TestLocks}.
 *
 * <pre class="code">{@code
 * import static io.github.lockspring.test.TestLocksAssert.assertThat;
 *
 * assertThat(locks).isHeldByThisProcess("order:42").hasWaiters("order:42", 2);
 * }</pre>
 */
public final class TestLocksAssert extends AbstractAssert<TestLocksAssert, TestLocks> {

	private TestLocksAssert(@Nullable TestLocks actual) {
		super(actual, TestLocksAssert.class);
	}

	/**
	 * Begin assertions.
	 * @param actual the locks
	 * @return the assertions
	 */
	public static TestLocksAssert assertThat(@Nullable TestLocks actual) {
		return new TestLocksAssert(actual);
	}

	/**
	 * Verify that a lock is held, by this process or another one.
	 * @param key the key, such as {@code order:42}
	 * @return this
	 */
	public TestLocksAssert isHeld(String key) {
		return verify((locks) -> locks.isHeld(key), key, "to be held");
	}

	/**
	 * Verify that a lock is not held by any process.
	 * @param key the key, such as {@code order:42}
	 * @return this
	 */
	public TestLocksAssert isNotHeld(String key) {
		return verify((locks) -> !locks.isHeld(key), key, "not to be held");
	}

	/**
	 * Verify that a lock is held by the application.
	 * @param key the key, such as {@code order:42}
	 * @return this
	 */
	public TestLocksAssert isHeldByThisProcess(String key) {
		return verify((locks) -> locks.isHeldByThisProcess(key), key, "to be held by this process");
	}

	/**
	 * Verify that a lock is held {@linkplain TestLocks#holdElsewhere(String) elsewhere}.
	 * @param key the key, such as {@code order:42}
	 * @return this
	 */
	public TestLocksAssert isHeldElsewhere(String key) {
		return verify((locks) -> locks.isHeldElsewhere(key), key, "to be held by another process");
	}

	/**
	 * Verify the number of acquisitions of this process that wait for a lock.
	 * @param key the key, such as {@code order:42}
	 * @param expected the expected number
	 * @return this
	 */
	public TestLocksAssert hasWaiters(String key, int expected) {
		isNotNull();
		int waiters = this.actual.waiters(key);
		if (waiters != expected) {
			failWithMessage("%nExpecting %d acquisitions to wait for the lock on %s, but there are %d.%n%s", expected,
					KeyFormat.quote(key), waiters, describe(key));
		}
		return this;
	}

	private TestLocksAssert verify(Predicate<TestLocks> condition, String key, String expectation) {
		isNotNull();
		if (!condition.test(this.actual)) {
			failWithMessage("%nExpecting the lock on %s %s.%n%s", KeyFormat.quote(key), expectation, describe(key));
		}
		return this;
	}

	private String describe(String key) {
		return "It is " + stateOf(key) + ", as " + KeyFormat.quote(this.actual.storeKey(key)) + ". "
				+ this.actual.describeHeld();
	}

	private String stateOf(String key) {
		if (!this.actual.isHeld(key)) {
			return "free";
		}
		return this.actual.isHeldElsewhere(key) ? "held by another process" : this.actual.isHeldByThisProcess(key)
				? "held by this process" : "locked for the rest of its minimum hold time";
	}

}
