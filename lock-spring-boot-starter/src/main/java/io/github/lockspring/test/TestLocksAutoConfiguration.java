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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

import io.github.lockspring.aop.DistributedLockInterceptor;
import io.github.lockspring.autoconfigure.LockAutoConfiguration;
import io.github.lockspring.engine.LockEngines;

/**
 * {@link EnableAutoConfiguration Auto-configuration} of tests for locks in memory, with a
 * clock that the test can advance.
 *
 * @see AutoConfigureTestLocks
 */
@AutoConfiguration(before = LockAutoConfiguration.class)
@ConditionalOnMissingBean(TestLocks.class)
public final class TestLocksAutoConfiguration {

	/**
	 * Create the stores. Their clock is not a bean, so that it is not confused with that
	 * of the application.
	 */
	@Bean("io.github.lockspring.testLockStores")
	TestLockStores testLockStores(ObjectProvider<SettableTime> time) {
		return new TestLockStores(time.getIfUnique(SettableTime::running));
	}

	@Bean("io.github.lockspring.testLockTime")
	@Primary
	TestLockTime testLockTime(TestLockStores stores) {
		return new TestLockTime(stores);
	}

	@Bean("io.github.lockspring.testLocks")
	TestLocks testLocks(TestLockStores stores, TestLockTime time, LockEngines engines,
			DistributedLockInterceptor interceptor) {
		TestLocks locks = new TestLocks(stores, engines, engines.defaultEngine(), interceptor.template()::storeKey);
		time.skipWaitsOf(locks);
		return locks;
	}

}
