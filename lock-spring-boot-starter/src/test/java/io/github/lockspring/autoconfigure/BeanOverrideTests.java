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

package io.github.lockspring.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.util.StringUtils;

import io.github.lockspring.DistributedLock;
import io.github.lockspring.LockContext;
import io.github.lockspring.LockTemplate;
import io.github.lockspring.concurrent.LockClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * Tests of applications that override beans whose methods are locked.
 */
@SpringBootTest(webEnvironment = WebEnvironment.NONE, properties = { "lock.backend=local",
		"spring.autoconfigure.exclude=" + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
				+ "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration" })
@ExtendWith(OutputCaptureExtension.class)
class BeanOverrideTests {

	@MockitoBean
	private MockedService mocked;

	@MockitoBean
	private LockTemplate locks;

	@TestBean
	private ReplacedService replaced;

	@MockitoSpyBean
	private SpiedService spied;

	@Autowired
	private PlainService plain;

	@Autowired
	private LockClient client;

	static ReplacedService replaced() {
		return new ReplacedService();
	}

	@Test
	void mockIsNotLockedAndTheOthersAre(CapturedOutput output) {
		given(this.mocked.isLocked()).willReturn(true);
		assertThat(this.mocked.isLocked()).isTrue();
		assertThat(this.replaced.isLocked()).isFalse();
		assertThat(this.spied.isLocked()).isTrue();
		assertThat(this.plain.isLocked()).isTrue();
		assertThat(AopUtils.isAopProxy(this.plain)).isTrue();
		assertThat(StringUtils.countOccurrencesOf(output.toString(), "are not locked")).isEqualTo(1);
		assertThat(output).contains("'mockedService'", "'replacedService'")
			.doesNotContain("'spiedService'", "'plainService'");
	}

	@Test
	void annotationsAndClientHaveTheirLocksAlthoughTheTemplateIsAMock() {
		assertThat(this.locks.tryAcquire("service")).isNull();
		assertThat(this.plain.isLocked()).isTrue();
		assertThat(this.client.lock("service").tryLock()).isTrue();
	}

	/**
	 * The application under test.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		MockedService mockedService() {
			return new MockedService();
		}

		@Bean
		ReplacedService replacedService() {
			return new ReplacedService();
		}

		@Bean
		SpiedService spiedService() {
			return new SpiedService();
		}

		@Bean
		PlainService plainService() {
			return new PlainService();
		}

	}

	/**
	 * Returns whether it is locked.
	 */
	abstract static class LockedService {

		@DistributedLock(name = "service", key = "'one'")
		public boolean isLocked() {
			return LockContext.get() != null;
		}

	}

	static class PlainService extends LockedService {

	}

	static class MockedService extends LockedService {

	}

	static class ReplacedService extends LockedService {

	}

	static class SpiedService extends LockedService {

	}

}
